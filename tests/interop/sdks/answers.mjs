// A program that answers each JSON line on its standard input with one JSON line: hookgate's judge, and the Python packages.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export class Answers {
  #program;
  #waiting = [];
  #said = '';

  constructor(command, ...args) {
    this.#program = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#program.stderr.on('data', (text) => (this.#said += text));
    this.#program.on('error', (error) => this.#end(error));
    this.#program.on('close', () => this.#end(new Error(`${command} ended: ${this.#said.trim()}`)));
    createInterface({ input: this.#program.stdout }).on('line', (line) =>
      this.#waiting.shift()?.resolve(JSON.parse(line)),
    );
  }

  // Lines are answered in order.
  async ask(question) {
    const answer = await new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#program.stdin.write(`${JSON.stringify(question)}\n`);
    });
    if (answer.error) throw new Error(answer.error);
    return answer;
  }

  close() {
    this.#program.stdin.end();
  }

  #end(error) {
    this.#waiting.splice(0).forEach(({ reject }) => reject(error));
  }
}
