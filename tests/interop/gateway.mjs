// A gateway of this run: its configuration, its process, its own Postgres in the run's folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const START_MS = 60_000;
const STOP_MS = 60_000;

export class Gateway {
  #child;
  #exit;
  #folder;
  #ingest;
  #operator;

  // `settings`: more lines for every source and forward.
  static async start({ binary, folder, clients, destination, forwardSecret, settings = {} }) {
    const gateway = new Gateway();
    gateway.#folder = folder;
    const config = join(folder, 'hookgate.toml');
    const sources = [...new Map(clients.map((client) => [client.source, client])).values()];
    writeFileSync(config, configuration(sources, destination, join(folder, 'data'), settings));
    const env = { ...process.env, FORWARD_SECRET: forwardSecret };
    for (const { source, secret } of sources) env[variable(source)] = secret;
    const log = openSync(gateway.#logFile(), 'w');
    // `--json`: the addresses it really got are one JSON value on its standard output.
    gateway.#child = spawn(binary, ['--json', 'serve', '--config', config], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', log],
    });
    gateway.#exit = once(gateway.#child, 'exit').then(([code, signal]) => code ?? signal);
    try {
      const announced = await gateway.#announced();
      gateway.#ingest = announced.ingest;
      gateway.#operator = announced.operator;
    } catch (error) {
      await gateway.stop();
      throw new Error(`${error.message}\n${gateway.log()}`);
    }
    return gateway;
  }

  async post(source, body, headers) {
    const response = await fetch(new URL(`in/${source}`, this.#ingest), { method: 'POST', body, headers });
    await response.arrayBuffer();
    return { status: response.status, id: response.headers.get('hookgate-delivery-id') };
  }

  // Runs the handlers of a delivery again, as soon as its first run is settled.
  async replay(id) {
    for (const end = Date.now() + START_MS; Date.now() < end; await after(50)) {
      const response = await fetch(new URL(`api/v1/deliveries/${id}/replay`, this.#operator), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ force: true }),
      });
      const answer = await response.json();
      if (answer.queued?.length) return;
    }
    throw new Error(`delivery ${id} was not queued for a replay within ${START_MS} ms`);
  }

  log() {
    return readFileSync(this.#logFile(), 'utf8').split('\n').slice(-60).join('\n');
  }

  // Its exit code; a gateway that does not end in time is killed, and its Postgres with it.
  async stop() {
    this.#child.kill('SIGTERM');
    const ended = await Promise.race([this.#exit, after(STOP_MS)]);
    if (ended === undefined) {
      this.#child.kill('SIGKILL');
      await this.#exit;
    }
    this.#endPostgres();
    return ended;
  }

  #logFile() {
    return join(this.#folder, 'gateway.log');
  }

  async #announced() {
    let text = '';
    const read = async () => {
      for await (const chunk of this.#child.stdout) {
        text += chunk;
        const value = json(text);
        if (value) return value;
      }
      throw new Error('the gateway ended before it said where it listens');
    };
    const announced = await Promise.race([read(), after(START_MS)]);
    if (!announced) throw new Error(`the gateway did not say where it listens within ${START_MS} ms`);
    return announced;
  }

  // After a clean stop there is none left; the file with its pid is gone with it.
  #endPostgres() {
    for (const name of readdirSync(this.#folder, { recursive: true })) {
      if (!name.endsWith('postmaster.pid')) continue;
      try {
        process.kill(Number(readFileSync(join(this.#folder, name), 'utf8').split('\n')[0]), 'SIGQUIT');
      } catch (error) {
        if (error.code !== 'ESRCH' && error.code !== 'ENOENT') throw error;
      }
    }
  }
}

function configuration(sources, destination, data, { source: ofSource = '', forward: ofForward = '' }) {
  const tables = sources.map(({ source, provider }) => `
[source.${source}]
provider = "${provider}"
secrets = [{ env = "${variable(source)}" }]
${ofSource}

[[forward]]
name = "to-destination-${source}"
from = "${source}"
to = "${destination}"
secret = { env = "FORWARD_SECRET" }
${ofForward}
`);
  return `[server]
ingest = "127.0.0.1:0"
operator = "127.0.0.1:0"
[database]
data = "${data}"
${tables.join('')}`;
}

function variable(source) {
  return `${source.toUpperCase().replaceAll('-', '_')}_SECRET`;
}

function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function after(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
