/** Limits of the agent protocol for both sides: neither sends more than the other accepts. */

export const MAX_PORT = 65_535;
export const MAX_PROBE_PATH = 512;
/** Limit of components in a release. A target serves the first on its port and each next one on the port after. */
export const MAX_COMPONENTS = 64;
export const MAX_SECRET_REFS = 64;
export const MAX_SECRET = 65_536;
/**
 * Limit of a task's sealed secrets in base64url characters: the largest that a target may refer to, in ASCII, with
 * registry credentials.
 */
export const MAX_SEALED = 8 * 1024 * 1024;
export const MAX_DRIVERS = 32;
/** Limit of components in one heartbeat; an agent with more reports them in rotation. */
export const MAX_OBSERVATIONS = 1_024;
/**
 * Limit of reports under one lease. A successful task sends nine, and as many again after each restart of its agent.
 */
export const MAX_REPORTS = 256;
/** Limit of verbatim output in a report, and of a log's tail, in characters. */
export const MAX_RAW = 16_384;
/**
 * Limit of log lines in one message; with the limit of a line's characters, a message stays below a mebibyte of JSON.
 */
export const MAX_LOG_LINES = 128;
export const MAX_LOG_LINE = 1_024;
/** Limit of the location of a secret on the agent's host, in characters. */
export const MAX_SECRET_LOCATION = 512;
/** Limit of the reason why something could not be observed, in characters. */
export const MAX_REASON = 256;
