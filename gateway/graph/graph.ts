import { AsyncLocalStorage } from 'node:async_hooks';
import { ApolloGateway } from '@apollo/gateway';
import { ApolloServer, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { Caller } from '@landfall/kernel/core/caller';
import type { Log } from '@landfall/kernel/system/log';
import type { Budget } from '../http/cost-budget.ts';
import { type GraphContext, graphContext } from './context.ts';
import { costPlugin } from './cost-plugin.ts';
import { formatError } from './errors.ts';
import { limits, limitsRule, MAX_TOKENS } from './limits.ts';
import { missingRootRule } from './missing-root-rule.ts';
import { dataSource, type ModuleSources } from './module-source.ts';
import { readPriceList } from './price-list.ts';
import { checkRequest } from './request.ts';
import { passSingleModule } from './single-module.ts';
import type { OnBug } from './subgraph.ts';
import { supergraphSdl } from './supergraph.ts';
import { completeValues } from './value-completion.ts';
import { variablesPlugin } from './variables.ts';

interface GraphOptions {
  readonly sources: ModuleSources;
  /** Whether callers may use introspection. */
  readonly introspection: boolean;
  /** Budget of callers; without one, costs are not counted. */
  readonly budget?: Budget;
  readonly log: Log;
  readonly onBug: OnBug;
}

/** Request of an identified caller. */
interface GraphRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Query string with its `?`. */
  readonly search: string;
  readonly body: unknown;
  readonly caller: Caller;
}

interface GraphAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Graph {
  /** Answers a request. Throws VAL_* for a malformed one. */
  answer(request: GraphRequest): Promise<GraphAnswer>;
  close(): Promise<void>;
}

// Nothing of a request ever leaves for the vendor's cloud, whatever the environment says.
const quiet = [
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginInlineTraceDisabled(),
  ApolloServerPluginLandingPageDisabled(),
  ApolloServerPluginSchemaReportingDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
];

// The library reads this when a gateway is created; without it, it sends metrics to its vendor and asks the metadata
// services of four clouds for the machine.
process.env.APOLLO_TELEMETRY_DISABLED = 'true';

const createGateway = ({ sources, log }: GraphOptions): ApolloGateway =>
  new ApolloGateway({
    supergraphSdl: supergraphSdl(),
    logger: log,
    buildService: ({ name }) => {
      const source = sources.get(name);
      if (!source) throw new Error(`the supergraph names ${name}, which nobody serves`);
      return dataSource(name, source);
    },
  });

const headerMap = (headers: GraphRequest['headers']): HeaderMap =>
  new HeaderMap(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );

/** Creates the federated graph: Apollo Server with the gateway, without an HTTP server. */
export const createGraph = async (options: GraphOptions): Promise<Graph> => {
  const { introspection, log, onBug, budget } = options;
  // The formatter is not told which request it formats for.
  const requestIds = new AsyncLocalStorage<string>();
  const server = new ApolloServer<GraphContext>({
    gateway: passSingleModule(completeValues(createGateway(options)), supergraphSdl(), options.sources),
    introspection,
    hideSchemaDetailsFromClientErrors: !introspection,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    stringifyResult: (result) => JSON.stringify(result),
    logger: log,
    parseOptions: { maxTokens: MAX_TOKENS },
    validationRules: [missingRootRule, limitsRule(limits)],
    plugins: [...quiet, variablesPlugin, ...(budget ? [costPlugin(readPriceList(supergraphSdl()), budget)] : [])],
    formatError: (formatted, error) => formatError(formatted, error, requestIds.getStore() ?? '', onBug),
  });
  await server.start();

  const run = async ({ method, headers, search, body, caller }: GraphRequest): Promise<GraphAnswer> => {
    checkRequest(body, MAX_TOKENS);
    const answer = await server.executeHTTPGraphQLRequest({
      httpGraphQLRequest: { method, headers: headerMap(headers), search, body },
      context: async () => graphContext(caller),
    });
    if (answer.body.kind === 'chunked') throw new TypeError('the gateway answers in one piece');
    return { status: answer.status ?? 200, headers: Object.fromEntries(answer.headers), body: answer.body.string };
  };

  return {
    answer: (request) => requestIds.run(request.caller.correlationId, () => run(request)),
    close: () => server.stop(),
  };
};
