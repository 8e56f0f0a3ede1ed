/**
 * Bounds of the agent protocol, for both sides: the server accepts no more than an agent can read, and an agent reports
 * no more than the server accepts.
 */

export const MAX_PORT = 65_535;
export const MAX_PROBE_PATH = 512;
/** Components of a release. A target serves the first on its port and each next one on the port after. */
export const MAX_COMPONENTS = 64;
export const MAX_SECRET_REFS = 64;
export const MAX_SECRET = 65_536;
/** Sealed secrets of one task, base64url: the largest a target may refer to, in ASCII, and its registries' credentials. */
export const MAX_SEALED = 8 * 1024 * 1024;
export const MAX_DRIVERS = 32;
/** Components that one beat tells of; an agent that runs more tells of them in turns. */
export const MAX_OBSERVATIONS = 1_024;
/** Reports of one lease: a task that goes well takes nine, and again as many for each time its agent starts anew. */
export const MAX_REPORTS = 256;
/** Characters of what was seen word for word, and of a log's end. */
export const MAX_RAW = 16_384;
/** Log lines of one message, and characters of one line: together they stay below a mebibyte of JSON. */
export const MAX_LOG_LINES = 128;
export const MAX_LOG_LINE = 1_024;
/** Characters of where an agent finds a secret of its own. */
export const MAX_SECRET_PLACE = 512;
/** Characters of why something could not be seen. */
export const MAX_REASON = 256;
