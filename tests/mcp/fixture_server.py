"""A server of the official SDK with nothing but the scenery, to try the harness on."""

from mcp.server.mcpserver import MCPServer

from tests.mcp.scenery import register

server: MCPServer = MCPServer("scenery", version="1")
register(server)
application = server.streamable_http_app(stateless_http=True, json_response=False)
