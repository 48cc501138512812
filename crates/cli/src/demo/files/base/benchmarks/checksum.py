from inkwell import checksum


class Message:
    def setup(self):
        self.message = bytes(range(256))

    def time_digest(self):
        checksum.digest(self.message)


def time_combine():
    checksum.combine(range(5000))
