// One line a check, and a closing line that says how many held.
export class Checks {
  passed = 0;
  failed = 0;

  // A check that throws has failed: official verifiers refuse by throwing.
  async that(sentence, holds) {
    try {
      if (await holds()) {
        this.passed += 1;
        console.log(`ok      ${sentence}`);
        return;
      }
      console.log(`FAILED  ${sentence}`);
    } catch (error) {
      console.log(`FAILED  ${sentence}: ${error.message}`);
    }
    this.failed += 1;
  }

  broke(what, error) {
    this.failed += 1;
    console.log(`FAILED  ${what}: ${error.stack}`);
  }

  // The exit code. No check at all is a failure too.
  close() {
    console.log(`\n${this.passed} passed, ${this.failed} failed`);
    return this.failed === 0 && this.passed > 0 ? 0 : 1;
  }
}
