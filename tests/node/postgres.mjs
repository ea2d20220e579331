// PostgreSQL commands for scripts/test, which therefore needs no psql:
//
//   node postgres.mjs check URL         prints the server's version; fails with a reason if the tests cannot run
//   node postgres.mjs connections URL   prints how many connections the server allows
//   node postgres.mjs create URL NAME   creates a database, and prints its URL
//   node postgres.mjs drop URL PREFIX   drops every database whose name starts with PREFIX, and prints their number

import pg from "pg";

const OLDEST = 15;
const PREFIX = /^bt_test_[0-9a-f]{8,}_$/;

async function check(client) {
  const { rows: [server] } = await client.query(
    `SELECT current_setting('server_version_num')::int / 10000 AS major,
            (SELECT rolsuper OR rolcreatedb FROM pg_roles WHERE rolname = current_user) AS creates`,
  );
  if (server.major < OLDEST) throw new Error(`it is PostgreSQL ${server.major}; ${OLDEST} or newer is needed`);
  if (!server.creates) throw new Error("its role may not create databases (ALTER ROLE … CREATEDB)");
  return `PostgreSQL ${server.major}`;
}

async function connections(client) {
  const { rows: [server] } = await client.query("SELECT current_setting('max_connections')::int AS most");
  return server.most;
}

async function create(client, name) {
  await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.href;
}

async function drop(client, prefix) {
  if (!PREFIX.test(prefix)) throw new Error(`"${prefix}" is not the prefix of one run`);
  const { rows } = await client.query("SELECT datname FROM pg_database WHERE starts_with(datname, $1)", [prefix]);
  for (const { datname } of rows) {
    await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(datname)} WITH (FORCE)`);
  }
  return rows.length;
}

const [verb, url, ...rest] = process.argv.slice(2);
try {
  const command = { check, connections, create, drop }[verb];
  if (!command) throw new Error(`no such command: ${verb}`);
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  client.on("error", () => {}); // The current query reports the error.
  await client.connect();
  console.log(await command(client, ...rest));
  await client.end();
} catch (error) {
  console.error(error.errors?.[0]?.message ?? error.message);
  process.exit(1);
}
