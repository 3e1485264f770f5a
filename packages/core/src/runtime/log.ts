import pino from "pino";
import { toolNames, withToolName } from "./tool-categories.ts";
import { AirlockError } from "../fault/index.ts";

/**
 * All that a log line may hold. There is no field for free text of a model, a tool or a file,
 * so arguments can't be logged by mistake.
 */
export interface LogFields {
  readonly run?: string;
  readonly turn?: number;
  readonly attempt?: number;
  readonly itemKey?: string;
  readonly tool?: string;
  readonly queue?: string;
  readonly jobId?: string;
  readonly route?: string;
  readonly state?: string;
  readonly outcome?: string;
  readonly errorClass?: string | null;
  readonly errorCode?: string;
  readonly errorName?: string;
  readonly place?: string;
  readonly policy?: string;
  readonly durationMs?: number;
  readonly bytes?: number;
  readonly count?: number;
  readonly port?: number;
  readonly digest?: string;
  readonly detail?: string;
  /** of the console: who, and what they asked for by the pattern of its route */
  readonly by?: string;
  readonly action?: string;
  readonly status?: number;
}

/** What happened, from a closed list, so that a search for one finds all. */
export type LogEvent =
  | "attempt_committed"
  | "attempt_parked"
  | "call_decided"
  | "call_executed"
  | "call_given_back"
  | "call_reconciled"
  | "call_previewed"
  | "call_refused"
  | "call_resolved"
  | "call_settled"
  | "claims_gate"
  | "console_failed"
  | "console_login"
  | "console_refused"
  | "console_serving"
  | "core_dumps_possible"
  | "handler_failed"
  | "key_reused"
  | "kill_switch_turned"
  | "leases_failed"
  | "log_adopted"
  | "log_failed"
  | "log_gap"
  | "log_lost"
  | "log_sweep_failed"
  | "notices_missed"
  | "policy_loaded"
  | "policy_reload_failed"
  | "policy_reloaded"
  | "policy_rule_unreachable"
  | "record_refused"
  | "redis_down"
  | "redis_up"
  | "report_stored"
  | "route_resumed"
  | "route_suspended"
  | "run_acted_on"
  | "run_admitted"
  | "run_bound"
  | "run_diff_taken"
  | "run_ended"
  | "run_refused"
  | "sandbox_probed"
  | "service_crashed"
  | "service_started"
  | "service_stopped"
  | "service_stopping"
  | "turn_republished"
  | "unsandboxed_call"
  | "webhook_dead"
  | "workspace_prepare_failed"
  | "workspace_prepared"
  | "workspace_removed";

export type LogLevel = "debug" | "info" | "warn" | "error";

export interface Log {
  write(level: LogLevel, event: LogEvent, fields?: LogFields): void;
  /** One line of a decision log, exactly as its schema says. */
  decision(line: Readonly<Record<string, string | number | boolean | null>>): void;
}

export interface LogOptions {
  readonly service: string;
  readonly level: LogLevel;
  /** `name=category` pairs; left out: tools keep their names */
  readonly toolCategories?: readonly string[];
}

export function createLog(options: LogOptions): Log {
  const nameOf = toolNames(options.toolCategories ?? []);
  const logger = pino({
    level: options.level,
    base: { service: options.service, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
  return {
    write(level, event, fields = {}) {
      const { tool } = fields;
      logger[level]({ event, ...fields, ...(tool === undefined ? {} : { tool: nameOf(tool) }) });
    },
    decision: (line) => logger.info(withToolName(line, nameOf)),
  };
}

/**
 * An error in the terms of a log line. Only our own errors tell their message: those of others may quote what they
 * choked on, so of them the name and the topmost place remain.
 */
export function errorFields(error: unknown): LogFields {
  if (error instanceof AirlockError) return { errorCode: error.code, detail: error.message };
  if (!(error instanceof Error)) return { errorName: typeof error };
  // the stack begins with the message, in which a line may look like a place
  const frames = error.stack?.split("\n").slice(error.message.split("\n").length);
  const place = frames?.find((line) => line.trimStart().startsWith("at "));
  return { errorName: error.name, ...(place === undefined ? {} : { place: place.trim() }) };
}
