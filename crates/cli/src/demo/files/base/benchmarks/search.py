from inkwell import search

from .words import words


class Words:
    def setup(self):
        self.words = words(3000)

    def time_count(self):
        search.count(self.words)


class Distance:
    def setup(self):
        self.left = "".join(words(8))
        self.right = "".join(reversed(words(8)))

    def time_distance(self):
        search.distance(self.left, self.right)
