// The page: reads the fields, says what is wrong with them, and shows the verdict.

import { below, fromHex, suites, toHex, verifyMany } from "klero";

/** A draw whose proof holds. */
const EXAMPLE = {
  suite: "rfc9381-ell2",
  key: "56fc40ede02e39076d35731693147e2eef50b85d98feef58f7f2febb31a8d9bd",
  input: "Spring raffle of the rowing club, 7 June 2026",
  proof:
    "199322a7b0dcfcd58ab6d10b5479dc062d717cda345cd3c9cd2af81fcb520b7d1e7bfa1542bc6a80" +
    "093f26116ea1753d721cfa75a9bfc50903d644b5322c2be3c0cff84a9d2cdc4e7bb06ce56f51ba09",
  entrants: "250",
};

const byId = (id) => document.getElementById(id);
const [form, result] = [byId("draw"), byId("result")];
const allSuites = suites();

/** What is wrong with a field. */
class FieldError extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

/** The suite that is chosen. */
const chosenSuite = () => allSuites.find(({ name }) => name === byId("suite").value);

/** Whether the input is given in hex. */
const inputIsHex = () => form.elements.form.value === "hex";

/** The bytes of a field in hex, of which spaces and line breaks do not count. */
function hexField(field) {
  try {
    return fromHex(byId(field).value.replace(/\s/g, ""));
  } catch (error) {
    throw new FieldError(field, `This is ${error.message}.`);
  }
}

/** The same for a field that has a fixed length in bytes. */
function hexFieldOf(length, field, what) {
  const bytes = hexField(field);
  if (bytes.length === 0) {
    throw new FieldError(field, `Paste the ${what}.`);
  }
  if (bytes.length !== length) {
    const [got, expected] = [2 * bytes.length, 2 * length];
    throw new FieldError(field, `This has ${got} hex digits, and the ${what} has ${expected}.`);
  }
  return bytes;
}

/** The number of entrants; `undefined` if none is given. */
function entrantsField() {
  const digits = byId("entrants").value.replace(/[\s,._']/g, "");
  if (digits === "") return undefined;
  if (!/^[0-9]{1,18}$/.test(digits) || BigInt(digits) === 0n) {
    throw new FieldError("entrants", "Give a whole number from 1 on, of at most 18 digits.");
  }
  return BigInt(digits);
}

/** Reads all fields and shows their errors; `undefined` if there is one. */
function readFields() {
  const suite = chosenSuite();
  const readers = {
    publicKey: () => hexFieldOf(32, "key", "public key"),
    alpha: () => (inputIsHex() ? hexField("input") : new TextEncoder().encode(byId("input").value)),
    proof: () => hexFieldOf(suite.proofLength, "proof", `proof of ${suite.name}`),
    entrants: entrantsField,
  };
  clearErrors();
  const fields = {};
  let wrong;
  for (const [name, read] of Object.entries(readers)) {
    try {
      fields[name] = read();
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      showError(error);
      wrong ??= error.field;
    }
  }
  if (wrong === undefined) return fields;
  byId(wrong).focus();
}

function clearErrors() {
  for (const field of ["key", "input", "proof", "entrants"]) {
    byId(`${field}-error`).textContent = "";
    byId(field).removeAttribute("aria-invalid");
  }
}

function showError({ field, message }) {
  byId(`${field}-error`).textContent = message;
  byId(field).setAttribute("aria-invalid", "true");
}

/** The verdict on the claim in this suite. */
const verdictIn = ({ name }, claim) => verifyMany({ suite: name, claims: [claim] })[0];

/** Verifies what the fields say, and shows the verdict. */
function checkDraw() {
  result.hidden = true;
  const fields = readFields();
  if (fields === undefined) return;
  const { entrants, ...claim } = fields;
  const verdict = verdictIn(chosenSuite(), claim);
  result.className = verdict.valid ? "good" : "bad";
  byId("proven").hidden = !verdict.valid;
  if (verdict.valid) {
    showOutput(verdict.output, entrants);
  } else {
    showReason(verdict.reason, claim);
  }
  result.hidden = false;
  result.focus();
  result.scrollIntoView({ block: "nearest" });
}

function showOutput(output, entrants) {
  byId("verdict").textContent = "✓ The proof is valid";
  byId("reason").textContent = "This key gives this input the output below, and no other.";
  byId("output").textContent = toHex(output);
  byId("winner").hidden = entrants === undefined;
  byId("bias").hidden = entrants === undefined;
  if (entrants !== undefined) {
    const winner = below(output, entrants) + 1n;
    byId("number").textContent = `Number ${winner}`;
    byId("meaning").textContent =
      `wins among ${entrants} entrants, counted from 1, if the rules of the draw say what this ` +
      "page does: the output, read as one number, times the number of entrants, divided by 2^512 and " +
      "rounded down, plus 1.";
    byId("bias").textContent =
      "The output has 512 bits, so this favours no entrant by more than 1 in 2^448.";
  }
}

function showReason(reason, claim) {
  byId("verdict").textContent = "✗ The proof is invalid";
  const others = allSuites.filter((suite) => verdictIn(suite, claim).valid).map(({ name }) => name);
  const hint =
    others.length > 0
      ? `It is valid in ${others.join(" and in ")}: look up which suite the rules of the draw name.`
      : "Key, input and proof do not belong together, or one was changed. Look for a missing " +
        "letter, a space too many, or another suite.";
  byId("reason").textContent = `Reason: ${reason}. ${hint}`;
}

/** Shows what depends on the suite. */
function showSuite() {
  const { proofLength, name } = chosenSuite();
  byId("proof-hint").textContent = `${2 * proofLength} hex digits in ${name}.`;
}

function fillIn(draw) {
  for (const field of ["suite", "key", "input", "proof", "entrants"]) {
    byId(field).value = draw[field];
  }
  form.elements.form.value = "text";
  showInputForm();
  showSuite();
  clearErrors();
  result.hidden = true;
}

/** Shows the input in the letters of its form. */
function showInputForm() {
  byId("input").classList.toggle("as-hex", inputIsHex());
}

for (const { name, usedBy } of allSuites) {
  byId("suite").append(new Option(`${name} (${usedBy})`, name));
}
byId("suite").value = EXAMPLE.suite;
showSuite();
byId("suite").addEventListener("change", showSuite);
// A verdict is about what was checked, not about what is being typed.
form.addEventListener("input", () => {
  result.hidden = true;
  showInputForm();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  checkDraw();
});
byId("example").addEventListener("click", () => {
  fillIn(EXAMPLE);
  checkDraw();
});
