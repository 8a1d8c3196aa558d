"""MCP over standard input and output, for programs that start their servers themselves: everything goes to `/mcp`."""
