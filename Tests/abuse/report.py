"""The figures of a run."""

from kernel import MIB

COLUMNS = "{:<18}{:>8}{:>8}{:>10}{:>10}{:>9}{:>8}{:>14}{:>8}{:>13}{:>8}"


def print_report(rounds):
    print("\nThe longest waits of the innocent caller, and the same without the time of the bus, the backend and the "
          "machine:\n")
    print(COLUMNS.format("attack", "number", "rounds", "calls", "peak MiB", "reads", "turns", "read ms", "without",
                         "turn s", "without"))
    names = {done.attack.name: done.attack for done in rounds}
    for name, attack in names.items():
        print_row(name, attack.numbers, [done for done in rounds if done.attack.name == name])
    print_row("all", "", rounds)


def print_row(title, numbers, rounds):
    reads, own_reads = zip(*(done.longest_read for done in rounds))
    turns, own_turns = zip(*(done.longest_turn for done in rounds))
    failed = sum(bool(done.failures) for done in rounds)
    print(COLUMNS.format(
        title, numbers, len(rounds), sum(done.calls for done in rounds),
        f"{max(done.peak for done in rounds) / MIB:.0f}", sum(done.reads for done in rounds),
        sum(done.turns for done in rounds), f"{max(reads) * 1000:.0f}", f"{max(own_reads) * 1000:.0f}",
        f"{max(turns):.2f}", f"{max(own_turns):.2f}") + (f"  {failed} failed" if failed else ""))
