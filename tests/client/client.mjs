// An MCP client of the TypeScript SDK: lists the tools, makes the calls of its last argument, prints what came of it.
// node client.mjs http URL CALLS | node client.mjs stdio COMMAND CALLS   (COMMAND and CALLS are JSON)
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [kind, where, calls] = process.argv.slice(2);
const client = new Client({ name: "other-make", version: "1" });
if (kind === "http") {
  await client.connect(new StreamableHTTPClientTransport(new URL(where)));
} else {
  const [command, ...args] = JSON.parse(where);
  await client.connect(new StdioClientTransport({ command, args, env: process.env }));
}
const { tools } = await client.listTools();
const answers = await Promise.all(
  JSON.parse(calls).map(([name, args]) =>
    client.callTool({ name, arguments: args }).catch((error) => ({ code: error.code })),
  ),
);
console.log(JSON.stringify({ server: client.getServerVersion(), tools: tools.map((tool) => tool.name), answers }));
await client.close();
