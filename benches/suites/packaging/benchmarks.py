from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

VERSIONS = [f"{major}.{minor}{tail}" for major in range(5) for minor in range(8) for tail in ("", "rc1", ".post2")]


class Versions:
    def setup(self):
        self.versions = [Version(text) for text in VERSIONS]

    def time_parse(self):
        for text in VERSIONS:
            Version(text)

    def time_sort(self):
        sorted(Version(text) for text in VERSIONS)

    def time_text(self):
        for version in self.versions:
            str(version)


class Specifiers:
    params = ["==1.*", ">=1.2,<4", "~=2.2,!=2.5"]
    param_names = ["specifier"]

    def setup(self, specifier):
        self.set = SpecifierSet(specifier)
        self.versions = [Version(text) for text in VERSIONS]

    def time_parse(self, specifier):
        SpecifierSet(specifier)

    def time_filter(self, specifier):
        list(self.set.filter(self.versions))


class Requirements:
    def setup(self):
        self.marker = Marker("python_version >= '3.8' and (os_name == 'posix' or extra == 'test')")

    def time_parse(self):
        Requirement("name[extra1,extra2]>=1.0,<2; python_version >= '3.8'")

    def time_marker(self):
        self.marker.evaluate({"extra": "test"})

    def time_names(self):
        for name in ("Some.Name", "some_other-Name", "UPPER__CASE"):
            canonicalize_name(name)
