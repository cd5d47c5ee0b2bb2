"""One row of the table that bench.py prints."""

from dataclasses import dataclass


@dataclass
class Row:
    """A figure of the service, of the floor, and of the floor's second instance."""
    title: str
    service: float | None
    floor: float | None
    control: float | None
    hold: float
    repetitions: int
    at_least: bool = False
    absolute: bool = False  # the limit applies to the figure, not to its ratio to the floor

    @property
    def ratio(self):
        return self.service and self.service / (1 if self.absolute else self.floor)

    @property
    def control_ratio(self):
        return self.control and self.control / (1 if self.absolute else self.floor)

    @property
    def missed(self):
        if self.ratio is None:
            return False
        return self.ratio < self.hold if self.at_least else self.ratio > self.hold

    def __str__(self):
        verdict = "-" if self.ratio is None else "MISSED" if self.missed else "holds"
        sign = ">=" if self.at_least else "<="
        return (f"{self.title:<52}{number(self.service)}{number(self.floor)}{number(self.ratio)}"
                f"{number(self.control_ratio)}   {sign} {self.hold:<6}{self.repetitions:>4}  {verdict}")


HEADING = (f"{'row':<52}{'chappied':>11}{'floor':>11}{'ratio':>11}{'control':>11}"
           f"   {'hold':<9}{'reps':>4}")


def number(value):
    if value is None:
        return f"{'-':>11}"
    return f"{value:>11.2f}" if value < 1000 else f"{value:>11.0f}"
