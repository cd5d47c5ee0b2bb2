"""Replays what a terminal gets, and prints what it shows.

Standard input: {"columns": 80, "rows": 24, "frames": ["…"]}. Standard output: {"lines": ["…"], "above": 0}: the
lines that scrolled away and those of the screen, and in how many frames something changed above the last empty line.
"""

import json
import sys

import pyte

class Screen(pyte.HistoryScreen):
    def draw(self, data):
        # pyte drops what follows a character without a width that is no combining mark, such as a joiner.
        for character in data:
            super().draw(character)


task = json.load(sys.stdin)
screen = Screen(task["columns"], task["rows"], history=1_000_000, ratio=0.5)
# A terminal begins a new line at its start, as its driver writes a carriage return before each line feed.
screen.set_mode(pyte.modes.LNM)
stream = pyte.Stream(screen)


def text(row):
    # pyte keeps an empty text for the second half of a wide character.
    return "".join(row[column].data for column in range(task["columns"])).rstrip()


def lines():
    found = [text(row) for row in screen.history.top] + [text(screen.buffer[row]) for row in range(screen.lines)]
    while found and not found[-1]:
        found.pop()
    return found


above = 0
for frame in task["frames"]:
    before = lines() if task.get("watch") else []
    stream.feed(frame)
    if not task.get("watch"):
        continue
    empty = max((index for index, line in enumerate(before) if not line), default=-1)
    after = lines()
    above += before[: max(0, empty)] != after[: max(0, empty)]
json.dump({"lines": lines(), "above": above}, sys.stdout)
