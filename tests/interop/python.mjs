// The clients that are Python packages, one short process a question.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const interpreter = fileURLToPath(new URL('.venv/bin/python', import.meta.url));
const program = fileURLToPath(new URL('python_clients.py', import.meta.url));

export function python(question) {
  return new Promise((resolve, reject) => {
    const child = execFile(interpreter, [program], { timeout: 30_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message));
      else resolve(JSON.parse(stdout));
    });
    child.stdin.end(JSON.stringify(question));
  });
}
