from inkwell import layout

from .words import words


class Line:
    def setup(self):
        self.words = words(40)

    def time_justify(self):
        layout.justify(self.words, 600)


class Paragraph:
    params = [40, 72]
    param_names = ["width"]

    def setup(self, width):
        self.words = words(2500)

    def time_wrap(self, width):
        layout.wrap(self.words, width)
