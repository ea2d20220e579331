// RabbitMQ commands for scripts/test:
//
//   node rabbitmq.mjs check URL               prints the version; fails with a reason if the URL's virtual host cannot be opened
//   node rabbitmq.mjs url URL VHOST           prints URL with another virtual host
//   node rabbitmq.mjs vhost URL               prints the URL's virtual host, if there is one
//   node rabbitmq.mjs user URL                prints the URL's user
//   node rabbitmq.mjs create-vhost URL VHOST  through the management API on port 15672 of its host
//   node rabbitmq.mjs delete-vhost URL VHOST  likewise

import amqp from "amqplib";

const OURS = /^buildtrack-test-[0-9a-f]{8,}$/;

async function check(url) {
  const connection = await amqp.connect(url, { timeout: 5000 });
  connection.on("error", () => {});
  const { product, version } = connection.connection.serverProperties;
  await connection.close();
  return `${product} ${version}`;
}

function withVhost(url, vhost) {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(vhost)}`;
  return changed.href;
}

const vhost = (url) => decodeURIComponent(new URL(url).pathname.slice(1));

const user = (url) => decodeURIComponent(new URL(url).username) || "guest";

async function manage(url, method, path, body) {
  const { protocol, hostname, password } = new URL(url);
  if (protocol !== "amqp:") throw new Error("the management API is supported without TLS only");
  const credentials = `${user(url)}:${decodeURIComponent(password) || "guest"}`;
  const answer = await fetch(`http://${hostname}:15672/api/${path}`, {
    method,
    headers: { authorization: `Basic ${btoa(credentials)}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(5000),
  });
  if (!answer.ok) throw new Error(`the management API answered ${answer.status}`);
}

async function createVhost(url, name) {
  if (!OURS.test(name)) throw new Error(`"${name}" is not the virtual host of one run`);
  await manage(url, "PUT", `vhosts/${name}`);
  const everything = { configure: ".*", write: ".*", read: ".*" };
  await manage(url, "PUT", `permissions/${name}/${encodeURIComponent(user(url))}`, everything);
}

async function deleteVhost(url, name) {
  if (!OURS.test(name)) throw new Error(`"${name}" is not the virtual host of one run`);
  await manage(url, "DELETE", `vhosts/${name}`);
}

const commands = { check, url: withVhost, vhost, user, "create-vhost": createVhost, "delete-vhost": deleteVhost };
const [verb, ...rest] = process.argv.slice(2);
try {
  if (!commands[verb]) throw new Error(`no such command: ${verb}`);
  const answer = await commands[verb](...rest);
  if (answer) console.log(answer);
} catch (error) {
  console.error(error.errors?.[0]?.message || error.message || error.code);
  process.exit(1);
}
