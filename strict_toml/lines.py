"""Where each key of a TOML text stands: the parser in the standard library forgets, and error messages need it.

Works on text that the real parser has already accepted, so it never has to judge, only to walk.
"""

from collections.abc import Mapping

Path = tuple[str, ...]


def key_lines(text: str) -> Mapping[Path, int]:
    """The line, counted from 1, on which each key or table of a valid TOML text first occurs."""
    walk = _Walk(text)
    walk.document()
    return walk.lines


class _Walk:
    def __init__(self, text: str) -> None:
        self.text, self.at, self.line = text, 0, 1
        self.lines: dict[Path, int] = {}

    def document(self) -> None:
        table: Path = ()
        tables: dict[Path, int] = {}
        while self.skip_blank():
            if self.peek() == "[":
                double = self.text.startswith("[[", self.at)
                self.advance(2 if double else 1)
                table = self.key_path()
                self.mark(table, self.line)
                self.advance(2 if double else 1)
                if double:
                    tables[table] = tables.get(table, -1) + 1
                    table = (*table, str(tables[table]))
                    self.mark(table, self.line)
            else:
                self.pair(table)

    def pair(self, table: Path) -> None:
        line = self.line
        path = table + self.key_path()
        self.mark(path, line)
        self.advance(1)  # the equals sign
        self.value(path)

    def mark(self, path: Path, line: int) -> None:
        for end in range(1, len(path) + 1):
            self.lines.setdefault(path[:end], line)

    def value(self, path: Path) -> None:
        self.skip_blank()
        head = self.peek()
        if head == "{":
            self.advance(1)
            while self.skip_blank() and self.peek() != "}":
                if self.peek() == ",":
                    self.advance(1)
                else:
                    self.pair(path)
            self.advance(1)
        elif head == "[":
            self.advance(1)
            index = 0
            while self.skip_blank() and self.peek() != "]":
                if self.peek() == ",":
                    self.advance(1)
                else:
                    self.mark((*path, str(index)), self.line)
                    self.value((*path, str(index)))
                    index += 1
            self.advance(1)
        elif head in "\"'":
            self.string()
        else:
            while self.peek() not in ",]}#\n\r":
                self.advance(1)

    def key_path(self) -> Path:
        parts: list[str] = []
        while True:
            self.skip_spaces()
            if self.peek() in "\"'":
                parts.append(self.string())
            else:
                start = self.at
                while self.peek() not in " \t.=]\n":
                    self.advance(1)
                parts.append(self.text[start : self.at])
            self.skip_spaces()
            if self.peek() != ".":
                return tuple(parts)
            self.advance(1)

    def string(self) -> str:
        quote = self.peek()
        long = self.text.startswith(quote * 3, self.at)
        closing = quote * 3 if long else quote
        self.advance(len(closing))
        start = self.at
        while self.at < len(self.text) and not self.text.startswith(closing, self.at):
            self.advance(2 if quote == '"' and self.peek() == "\\" else 1)
        content = self.text[start : self.at]
        self.advance(len(closing))
        while long and self.peek() == quote:  # up to two quotes may belong to the string's end
            self.advance(1)
        return content

    def skip_spaces(self) -> None:
        while self.peek() in " \t":
            self.advance(1)

    def skip_blank(self) -> bool:
        """Past white space and comments; False at the end of the text."""
        while self.at < len(self.text):
            if self.peek() == "#":
                while self.at < len(self.text) and self.peek() != "\n":
                    self.advance(1)
            elif self.peek() in " \t\r\n":
                self.advance(1)
            else:
                return True
        return False

    def peek(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else "\n"

    def advance(self, count: int) -> None:
        self.line += self.text.count("\n", self.at, self.at + count)
        self.at = min(self.at + count, len(self.text) + 1)
