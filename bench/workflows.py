"""The workflows that are measured: `workflow-service serve bench.workflows:workflows`."""

from dataclasses import dataclass

from service import Context, End, Next, Workflows


@dataclass
class Parcel:
    """A small input, as most are."""

    number: int
    text: str


@dataclass
class Nothing:
    """No state to speak of."""


workflows = Workflows()


@workflows.workflow()
async def noop(ctx: Context[None], parcel: Parcel) -> int:
    """Do nothing, in one action."""
    return parcel.number


three = workflows.machine("three", input=Parcel, state=Nothing, output=int)


@three.action
async def first(ctx: Context[Nothing], parcel: Parcel) -> Next | End[int]:
    """Go on at once."""
    return second.next(parcel)


@three.action
async def second(ctx: Context[Nothing], parcel: Parcel) -> Next | End[int]:
    """Go on at once."""
    return third.next(parcel)


@three.action
async def third(ctx: Context[Nothing], parcel: Parcel) -> Next | End[int]:
    """End."""
    return End(parcel.number)
