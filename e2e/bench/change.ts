// Change to pixel: time from the moment a program sends a mutation to the frame in which the page of a viewer, who does
// nothing, shows the new text. Prints figures as `gateway/bench` does, which runs this as a program.
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { launchBrowser } from '../browser.ts';
import { type Client, clientOf } from '../clients.ts';
import { arrive } from '../people.ts';
import { startProduct } from '../product.ts';
import { millisecondsReporter, quantile, shownAt } from './pixel.ts';

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

  const visible = async (text: string): Promise<number> => Parse(Type.Number(), await page.evaluate(shownAt(text)));

  const times: number[] = [];
  for (let nth = 0; nth < WARM_UP + CHANGES; nth++) {
    const semver = `0.0.${1_000 + nth}`;
    const seen = visible(semver);
    await page.evaluate(() => undefined); // the observer is in place
    const sentAt = performance.timeOrigin + performance.now();
    await createDraft(operator, semver);
    times.push((await seen) - sentAt);
  }
  const counted = times.slice(WARM_UP);
  const report = millisecondsReporter('change');
  report('mutation sent to words on the page, p95', quantile(counted, 0.95), GOAL_MS);
  report('mutation sent to words on the page, p50', quantile(counted, 0.5));
} finally {
  await browser.close();
}
