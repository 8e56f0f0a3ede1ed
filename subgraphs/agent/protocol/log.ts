/** One JSON line an event. Values are chosen by the caller; a secret is never one of them. */
export type Log = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

export const stderrLog: Log = (event, fields = {}) => {
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), event, ...fields })}\n`);
};
