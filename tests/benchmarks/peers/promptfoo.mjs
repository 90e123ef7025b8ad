// promptfoo on the benchmark's rows: `node promptfoo.mjs URL ROWS IN_FLIGHT RESULTS`, beside its own node_modules.
//
// The rows' outputs come from its `echo` provider; three `llm-rubric` assertions by three models make three calls
// of each row. Results go to RESULTS/results.json, its cache, telemetry and looks for updates are off. Prints how
// many assertions were judged.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [url, path, inFlight, results] = process.argv.slice(2);
const JURORS = 3;
const rows = readFileSync(path, "utf8").trimEnd().split("\n").map(JSON.parse);
const juror = (number) => ({
  id: `openai:chat:rubric-juror-${number}`,
  config: { apiBaseUrl: url, apiKey: "sk-bench" },
});
const config = {
  prompts: ["{{output}}"],
  providers: ["echo"],
  defaultTest: {
    assert: Array.from({ length: JURORS }, (_, number) => ({
      type: "llm-rubric",
      value: "Polite, and it answers the question.",
      provider: juror(number),
    })),
  },
  tests: rows.map((row) => ({ vars: { request: row.request, output: row.output } })),
};
const configPath = join(results, "promptfooconfig.json");
const outputPath = join(results, "results.json");
writeFileSync(configPath, JSON.stringify(config));
// It counts rows at once, whose assertions it judges side by side.
const atOnce = String(Math.max(1, Math.floor(Number(inFlight) / JURORS)));
const args = ["eval", "-c", configPath, "-o", outputPath, "-j", atOnce, "--no-cache", "--no-table", "--no-progress-bar"];
const env = {
  ...process.env,
  PROMPTFOO_CONFIG_DIR: results,
  PROMPTFOO_DISABLE_TELEMETRY: "1",
  PROMPTFOO_DISABLE_UPDATE: "1",
  PROMPTFOO_DISABLE_REMOTE_GENERATION: "1",
};
const run = spawnSync(join(process.cwd(), "node_modules/.bin/promptfoo"), args, { env, encoding: "utf8" });
const { results: told } = JSON.parse(readFileSync(outputPath, "utf8"));
const judged = told.results.flatMap((row) => row.gradingResult?.componentResults ?? []);
if (judged.length === 0) console.error(run.stdout, run.stderr);
console.log(JSON.stringify({ verdicts: judged.filter((each) => each.pass).length }));
