"""A tool server with `fastmcp`, as its documentation begins, which tells its progress and asks the user."""

from fastmcp import Context, FastMCP

server = FastMCP("repeater")


@server.tool
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool
async def count(context: Context) -> str:
    """Counts to three."""
    for number in range(1, 4):
        await context.report_progress(number, 3, f"number {number}")
    return "counted"


server.run(show_banner=False)
