// The same agent with version 2, which asks for the newest protocol first.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const { LOCI_URL, LOCI_KEY, TEXT, QUERY } = process.env;
const client = new Client({ name: "typescript-v2", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
const headers = { Authorization: `Bearer ${LOCI_KEY}` };
await client.connect(new StreamableHTTPClientTransport(new URL(LOCI_URL), { requestInit: { headers } }));
const { tools } = await client.listTools();
const remembered = await client.callTool({ name: "memory_remember", arguments: { text: TEXT } });
const found = await client.callTool({ name: "memory_search", arguments: { query: QUERY } });
const refused = await client.callTool({ name: "memory_search", arguments: { query: QUERY, limit: "many" } });
console.log(JSON.stringify({ tools, remembered, found, refused }));
await client.close();
