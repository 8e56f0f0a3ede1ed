import { stdin } from 'node:process';
import { parentPort, workerData } from 'node:worker_threads';
import { CallGraphError } from './call-graph-error.ts';
import { computeDrift } from './drift.ts';
import { createReachabilityJudge } from './finding-reachability.ts';
import { readGoCallGraph } from './go-callgraph.ts';
import { readGraphDocument } from './graph-document.ts';
import type { ReachabilityAnswer, ReachabilityTask } from './reachability-task.ts';
import { decodeGraph, encodeGraph } from './stored-graph.ts';

const perform = async (task: ReachabilityTask): Promise<ReachabilityAnswer> => {
  switch (task.kind) {
    case 'import': {
      const { format, limits } = task;
      const graph = await (typeof format === 'string'
        ? readGraphDocument(stdin, format, limits)
        : readGoCallGraph(stdin, format, limits));
      return { kind: 'import', graph: encodeGraph(graph) };
    }
    case 'drift': {
      const drift = computeDrift(decodeGraph(task.base), decodeGraph(task.head), task.severities);
      return { kind: 'drift', drift };
    }
    case 'statements':
      return { kind: 'statements', statements: task.findings.map(createReachabilityJudge(decodeGraph(task.graph))) };
  }
};

const task: ReachabilityTask = workerData;
try {
  parentPort?.postMessage(await perform(task));
} catch (error) {
  if (!(error instanceof CallGraphError)) throw error;
  const refusal: ReachabilityAnswer = { kind: 'refused', reason: error.reason, message: error.message };
  parentPort?.postMessage(refusal);
}
