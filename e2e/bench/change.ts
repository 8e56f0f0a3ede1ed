// Change to pixel: from the moment a program sends a mutation to the frame in which a person who only looks reads the
// new words on a page that nobody touches. Prints figures as `gateway/bench` does, which runs this as a program.
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { launchBrowser } from '../browser.ts';
import { type Client, clientOf } from '../clients.ts';
import { arrive } from '../people.ts';
import { startProduct } from '../product.ts';
import { quantile, shownAt, tellerOf } from './pixel.ts';

const CHANGES = 40;
/** The first ones warm the page and do not count. */
const WARM_UP = 5;
const GOAL_MS = 500;

const released = Type.Object({ data: Type.Object({ it: Type.Object({ id: Type.String() }) }) });

const draft = `mutation ($input: CreateReleaseInput!) { it: createRelease(input: $input) { id } }`;

const createDraft = async (client: Client, semver: string): Promise<void> => {
  const { body } = await client.graph(draft, { input: { name: 'pixel', semver } });
  Parse(released, body);
};

await using product = await startProduct();
const { credentials } = product;
const browser = await launchBrowser();
try {
  const operator = await clientOf(credentials, 'operator');
  const page = await arrive(browser, credentials, 'viewer', { path: '/releases' });
  await page.getByRole('heading', { name: 'Releases', level: 1 }).waitFor();

  const shown = async (words: string): Promise<number> => Parse(Type.Number(), await page.evaluate(shownAt(words)));

  const times: number[] = [];
  for (let nth = 0; nth < WARM_UP + CHANGES; nth++) {
    const semver = `0.0.${1_000 + nth}`;
    const seen = shown(semver);
    await page.evaluate(() => undefined); // the observer is in place
    const sentAt = performance.timeOrigin + performance.now();
    await createDraft(operator, semver);
    times.push((await seen) - sentAt);
  }
  const counted = times.slice(WARM_UP);
  const tell = tellerOf('change');
  tell('mutation sent to words on the page, p95', quantile(counted, 0.95), GOAL_MS);
  tell('mutation sent to words on the page, p50', quantile(counted, 0.5));
} finally {
  await browser.close();
}
