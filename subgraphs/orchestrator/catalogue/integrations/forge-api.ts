import { isJsonObject, parseJson } from '@landfall/kernel/core/json';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Forge } from '../../shared/enums.ts';

/** Commit as a forge returns it. Its texts come from its author: untrusted, of any form, and shortened here. */
export interface Commit {
  readonly id: string;
  readonly message: string;
  readonly author: string | null;
  /** Time at which it was written, ISO 8601. */
  readonly at: string | null;
  readonly url: string | null;
}

/** Commits that one revision has and another has not; `total` counts those that were left out too. */
export interface CommitList {
  readonly commits: readonly Commit[];
  readonly total: number;
}

const MAX_COMMITS = 250;
const MAX_MESSAGE = 2_000;
const MAX_AUTHOR = 200;

const text = Type.String();
const maybe = Type.Optional(Type.Union([Type.String(), Type.Null()]));

/** Commits of GitHub and Gitea (GitHub REST API 2022-11-28, "Compare two commits"; Gitea API 1.22, `repoCompareDiff`). */
const gitObject = Type.Object({
  sha: text,
  html_url: maybe,
  commit: Type.Object({
    message: text,
    author: Type.Optional(Type.Union([Type.Object({ name: maybe, date: maybe }), Type.Null()])),
  }),
});
const ofGitHub = Compile(Type.Object({ total_commits: Type.Integer({ minimum: 0 }), commits: Type.Array(gitObject) }));

/** Commits of GitLab (REST API v4, "Compare branches, tags, or commits"). */
const ofGitLab = Compile(
  Type.Object({
    commits: Type.Array(
      Type.Object({ id: text, message: text, author_name: maybe, authored_date: maybe, web_url: maybe }),
    ),
  }),
);

const HASH = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** Address that may become a link; anything but http(s) is none. */
const linkOf = (value: string | null | undefined): string | null => {
  const url = value ? URL.parse(value) : null;
  return url && (url.protocol === 'https:' || url.protocol === 'http:') && url.href.length <= 2_048 ? url.href : null;
};

const timeOf = (value: string | null | undefined): string | null => {
  const at = new Date(value ?? '');
  return Number.isNaN(at.getTime()) ? null : at.toISOString();
};

/** Cuts text without splitting a character, and takes out what PostgreSQL cannot store. */
const cut = (value: string, max: number): string => value.slice(0, max).replaceAll('\0', '').toWellFormed();

const commitOf = (commit: {
  readonly id: string;
  readonly message: string;
  readonly author: string | null | undefined;
  readonly at: string | null | undefined;
  readonly url: string | null | undefined;
}): Commit => ({
  id: commit.id,
  message: cut(commit.message, MAX_MESSAGE),
  author: commit.author ? cut(commit.author, MAX_AUTHOR) : null,
  at: timeOf(commit.at),
  url: linkOf(commit.url),
});

const newestFirst = (commits: readonly Commit[]): Commit[] =>
  commits.toSorted((a, b) => ((a.at ?? '') < (b.at ?? '') ? 1 : (a.at ?? '') > (b.at ?? '') ? -1 : 0));

const listOf = (commits: readonly Commit[], total: number): CommitList | undefined =>
  commits.every(({ id }) => HASH.test(id))
    ? { commits: newestFirst(commits.slice(-MAX_COMMITS)), total: Math.max(total, commits.length) }
    : undefined;

const readGitHub = (body: Buffer): CommitList | undefined => {
  const answer = parseJson(body);
  if (!ofGitHub.Check(answer)) return undefined;
  const commits = answer.commits.map(({ sha: id, html_url: url, commit: { message, author } }) =>
    commitOf({ id, message, author: author?.name, at: author?.date, url }),
  );
  return listOf(commits, answer.total_commits);
};

const readGitLab = (body: Buffer): CommitList | undefined => {
  const answer = parseJson(body);
  if (!ofGitLab.Check(answer)) return undefined;
  const commits = answer.commits.map(({ id, message, author_name: author, authored_date: at, web_url: url }) =>
    commitOf({ id, message, author, at, url }),
  );
  return listOf(commits, commits.length);
};

/** Interface of one kind of forge. */
interface ForgeApi {
  /** Base of the interface, from the address of the forge. */
  base(webUrl: string): string;
  authorization(token: string): Readonly<Record<string, string>>;
  accept: string;
  /** Path of the commits of `to` that `from` has not. */
  comparePath(repository: string, from: string, to: string): string;
  /** Reads the commits of an answer; undefined where it has another form. */
  readCommits(body: Buffer): CommitList | undefined;
  /** Path that answers every client, and refuses an invalid token. */
  pingPath: string;
}

const inPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

export const forgeApis: Readonly<Record<Forge, ForgeApi>> = {
  github: {
    base: (webUrl) => (webUrl === 'https://github.com' ? 'https://api.github.com' : `${webUrl}/api/v3`),
    authorization: (token) => ({ authorization: `Bearer ${token}` }),
    accept: 'application/vnd.github+json',
    comparePath: (repository, from, to) => `/repos/${inPath(repository)}/compare/${inPath(from)}...${inPath(to)}`,
    readCommits: readGitHub,
    pingPath: '/rate_limit',
  },
  gitlab: {
    base: (webUrl) => `${webUrl}/api/v4`,
    authorization: (token) => ({ 'private-token': token }),
    accept: 'application/json',
    comparePath: (repository, from, to) =>
      `/projects/${encodeURIComponent(repository)}/repository/compare?${new URLSearchParams({ from, to })}`,
    readCommits: readGitLab,
    pingPath: '/projects?per_page=1&simple=true',
  },
  gitea: {
    base: (webUrl) => `${webUrl}/api/v1`,
    authorization: (token) => ({ authorization: `token ${token}` }),
    accept: 'application/json',
    comparePath: (repository, from, to) => `/repos/${inPath(repository)}/compare/${inPath(from)}...${inPath(to)}`,
    readCommits: readGitHub,
    pingPath: '/repos/search?limit=1',
  },
};

/** Reads the message of a forge's error answer; all three call it `message`, GitLab also `error`. */
export const errorIn = (body: Buffer): string => {
  const answer = parseJson(body);
  if (!isJsonObject(answer)) return '';
  const { message, error } = answer;
  return [message, error].find((value) => typeof value === 'string') ?? '';
};
