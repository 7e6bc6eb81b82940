// Runs the tests of headers.json on a validator: put yours into `validate`, `leads` and `turn`.
//
//   node headers.mjs ../headers.json [TYPE...]
//
// Prints the tests whose verdict is wrong, and exits with 1 if there are any. TYPE is a type of groups:
// headers, thresholds or overlay.

import { readFileSync } from "node:fs";

import * as judge from "./headers_judge.mjs";

/** The rule that the header of this test breaks, or undefined. A rule of the file is compared with the one
 * that is broken; any other name only says that the header is invalid. `context` has the members of the
 * group, and the stake that decides. Here: a plain judge. */
function validate(context, test) {
  return judge.validate(context, test);
}

/** Whether a pool with this stake leads with this value. `f` is a text such as 1/20. */
function leads(f, stake, total, value) {
  return judge.leads(f, stake, total, value);
}

/** Whose the slot is: ["lottery"], ["reserved"], or ["delegate", which one]. */
function turn(d, f, delegates, slot) {
  return judge.turn(d, f, delegates, slot);
}

function isRight(test, group, { rules, stakes }) {
  if (group.type === "thresholds") {
    const value = Uint8Array.from(Buffer.from(test.value, "hex"));
    return leads(group.f, BigInt(test.stake), BigInt(test.total), value) === test.leads;
  }
  if (group.type === "overlay") {
    const [of, which] = turn(group.d, group.f, group.delegates, test.slot);
    return of === test.turn && which === test.delegate;
  }
  const broken = validate({ ...group, stake: stakes[test.stake] }, test);
  return broken in rules ? broken === test.broken : (broken === undefined) === (test.result === "valid");
}

const [path, ...types] = process.argv.slice(2);
const file = JSON.parse(readFileSync(path, "utf8"));
let [ran, wrong] = [0, 0];

for (const group of file.testGroups) {
  if (types.length > 0 && !types.includes(group.type)) continue;
  for (const test of group.tests) {
    ran += 1;
    if (!isRight(test, group, file)) {
      wrong += 1;
      const verdict = [test.result, test.broken, test.leads, test.turn, test.delegate];
      console.log(group.type, test.tcId, "is", ...verdict.filter((part) => part !== undefined), test.comment ?? "");
    }
  }
}
console.log(`${ran} tests, ${wrong} wrong`);
process.exitCode = wrong > 0 || ran === 0 ? 1 : 0;
