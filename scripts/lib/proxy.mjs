// A TCP proxy in front of several servers: each connection goes to the next server that accepts it.
//
//   node scripts/lib/proxy.mjs PORT SERVER_PORT…
import net from "node:net";

const [port, ...servers] = process.argv.slice(2).map(Number);
let turn = 0;

function forward(client, tries) {
  const server = net.connect(servers[turn++ % servers.length], "127.0.0.1");
  server.once("connect", () => {
    server.off("error", next);
    for (const [from, to] of [[client, server], [server, client]]) {
      from.on("error", () => to.destroy()).on("close", () => to.destroy()).pipe(to);
    }
  });
  const next = () => (tries > 1 && !client.destroyed ? forward(client, tries - 1) : client.destroy());
  server.once("error", next);
}

net
  .createServer({ pauseOnConnect: true }, (client) => {
    client.setNoDelay(true);
    client.on("error", () => client.destroy());
    forward(client, servers.length);
  })
  .listen(port, "127.0.0.1");
