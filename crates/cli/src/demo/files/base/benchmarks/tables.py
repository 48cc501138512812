import random

from inkwell import tables


class Insertion:
    params = [100, 200]
    param_names = ["rows"]

    def setup(self, rows):
        self.values = random.Random(1).sample(range(10 * rows), rows)

    def time_insert_sorted(self, rows):
        tables.insert_sorted(self.values)


class Group:
    def setup(self):
        self.rows = [(n % 37, n) for n in range(4000)]

    def time_group(self):
        tables.group(self.rows)
