import { X509Certificate } from 'node:crypto';
import { type Check, fail, ifTable, NOT_YET, pass, warn } from '@landfall/kernel/operator/check';
import * as store from './checks.store.ts';

const DAY_MS = 86_400_000;
const WARN_DAYS = 180;

const agentAuthority: Check = {
  id: 'agents-authority',
  title: 'The authority that agents are certified by is good for a while',
  meaning:
    'Agents authenticate by certificates of this installation’s own authority. Once that has ended, no agent can report or take work.',
  remedy:
    'It is made for ten years and not renewed: plan an installation of your own time with a new one, with which every agent registers anew.',
  inspect: ifTable('orchestrator.agent_authorities', async (query, { now }) => {
    const row = await store.agentAuthority(query);
    if (!row) return NOT_YET;
    const days = Math.floor((Date.parse(new X509Certificate(row.certificate).validTo) - now().getTime()) / DAY_MS);
    if (days < 0) return fail(`it ended ${-days} days ago`);
    return days < WARN_DAYS ? warn(`it ends in ${days} days`) : pass(`it ends in ${days} days`);
  }),
};

const agents: Check = {
  id: 'agents',
  title: 'Agents report, and their certificates and clocks are good',
  meaning:
    'A target whose agent is away takes no deployment, and nobody sees what runs there. An agent renews its certificate by itself while it reports.',
  remedy:
    'Bring the agent back on its host; it goes on with what it was running. One whose certificate has ended registers anew with a token.',
  inspect: ifTable('orchestrator.agents', async (query) => {
    const { present, away: redirectState, ended: completed, skewed } = await store.fleet(query);
    const state = [
      redirectState > 0 ? `${redirectState} away` : '',
      completed > 0 ? `${completed} with a certificate that has ended` : '',
      skewed > 0 ? `${skewed} with a clock that is off` : '',
    ].filter((part) => part !== '');
    const summary = `${present} ${present === 1 ? 'reports' : 'report'}`;
    return state.length > 0 ? warn([summary, ...state].join(', ')) : pass(summary);
  }),
};

export const orchestratorChecks: readonly Check[] = [agentAuthority, agents];
