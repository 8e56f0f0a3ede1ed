/** Logs an event as one line of JSON. Fields never contain a secret. */
export type Log = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

export const stderrLog: Log = (event, fields = {}) => {
  process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), event, ...fields })}\n`);
};
