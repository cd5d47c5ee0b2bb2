"""A tool server with the official package `mcp`: one tool, whose result has each kind of content."""

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


async def list_tools(context, params):
    return types.ListToolsResult(tools=[types.Tool(name="kinds", input_schema={"type": "object"})])


async def call_tool(context, params):
    return types.CallToolResult(content=[
        types.TextContent(text="words"),
        types.ImageContent(data=PNG, mime_type="image/png"),
        types.AudioContent(data="AAAA", mime_type="audio/wav"),
        types.ResourceLink(name="a link", uri="file:///a"),
        types.EmbeddedResource(resource=types.TextResourceContents(uri="file:///b", text="a page")),
        types.EmbeddedResource(resource=types.BlobResourceContents(uri="file:///c", blob="AAAA"))])


async def main():
    server = Server("kinds", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)
