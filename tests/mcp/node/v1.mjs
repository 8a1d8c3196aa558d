// An agent written with version 1 of the TypeScript SDK: lists the tools, remembers, searches, prints what came as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const { LOCI_URL, LOCI_KEY, TEXT, QUERY } = process.env;
const client = new Client({ name: "typescript-v1", version: "1.0.0" });
const headers = { Authorization: `Bearer ${LOCI_KEY}` };
await client.connect(new StreamableHTTPClientTransport(new URL(LOCI_URL), { requestInit: { headers } }));
const { tools } = await client.listTools();
const remembered = await client.callTool({ name: "memory_remember", arguments: { text: TEXT } });
const found = await client.callTool({ name: "memory_search", arguments: { query: QUERY } });
const refused = await client.callTool({ name: "memory_search", arguments: { query: QUERY, limit: "many" } });
console.log(JSON.stringify({ tools, remembered, found, refused }));
await client.close();
