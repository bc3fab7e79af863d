package io.fibry.internal.scenario;

import static io.fibry.internal.scenario.Change.behind;
import static io.fibry.internal.scenario.Change.condition;
import static io.fibry.internal.scenario.Change.drop;
import static io.fibry.internal.scenario.Change.empty;
import static io.fibry.internal.scenario.Change.lastArgument;
import static io.fibry.internal.scenario.Change.overwrite;
import static io.fibry.internal.scenario.Change.part;
import static io.fibry.internal.scenario.Change.preceded;
import static io.fibry.internal.scenario.Change.replaced;
import static io.fibry.internal.scenario.Change.value;
import static io.fibry.internal.scenario.Change.withoutOperand;

import java.util.List;

/** All mutants of the patterns. The statement that each of them changes is one that a pattern cannot do without. */
final class PatternMutants {
    static final List<Mutant> ALL = List.of(
            // ---- Pools. ----
            new Mutant("worker-is-listed-without-a-look-at-the-mailbox", "pool", drop()),
            new Mutant("worker-that-is-done-is-not-listed", "pool", drop()),
            new Mutant("worker-looks-while-it-is-given-a-message", "pool",
                    lastArgument("State.WORKING")),
            new Mutant("worker-looks-once-after-it-was-given-a-message", "pool",
                    lastArgument("State.WORKING")),
            new Mutant("worker-that-stops-wakes-no-other", "pool", drop()),
            new Mutant("worker-that-stops-keeps-its-units", "pool", drop()),
            new Mutant("message-takes-units-that-are-not-free", "pool", condition("to.moved >= MOST_MOVED")),
            new Mutant("worker-gives-back-the-key-of-a-message-that-waits", "pool", condition(false)),
            new Mutant("worker-that-is-being-made-counts-as-one-that-waits", "pool-cycles",
                    condition(true)),
            // ---- Generators. ----
            new Mutant("generator-does-not-wake-its-consumer", "generator", drop()),
            new Mutant("producer-that-ends-does-not-wake-the-consumer", "generator", drop()),
            new Mutant("generator-does-not-look-for-values-again", "generator", condition(false)),
            new Mutant("subscription-does-not-look-for-values-again", "generator", condition(false)),
            new Mutant("failed-generator-does-not-wake-its-consumer", "generator", drop()),
            new Mutant("generator-does-not-look-for-room-again", "generator", condition("closed && ($)")),
            new Mutant("generator-has-a-place-too-many", "generator", part("capacity", "capacity + 1")),
            new Mutant("larger-slots-begin-one-value-late", "generator", value("at + 1")),
            new Mutant("consumer-stays-in-the-smaller-slots", "generator", condition(false)),
            new Mutant("generator-does-not-wake-its-producer", "generator", drop()),
            new Mutant("abandoned-generator-does-not-wake-its-producer", "generator", drop()),
            new Mutant("failure-of-a-producer-is-told-to-nobody", "generator-in-scope", condition(false)),
            new Mutant("closed-generator-has-values", "generator-in-scope", drop()),
            // ---- Pipelines. ----
            new Mutant("value-comes-in-after-the-end", "pipeline", condition(false)),
            new Mutant("value-that-goes-back-does-not-look-for-the-end", "pipeline",
                    replaced("run.lose(at, false);")),
            new Mutant("source-does-not-look-for-the-end", "pipeline",
                    value("self == reader && run.endsWith(at)")),
            new Mutant("pipeline-ends-while-a-value-is-in-its-first-stages", "pipeline", value("true")),
            new Mutant("value-of-a-worker-is-not-passed-on", "pipeline", value("false")),
            new Mutant("results-are-settled-before-hunger-is-known", "pipeline",
                    behind(2, "assert Marks.here();")),
            new Mutant("run-takes-more-than-there-is-room-for", "pipeline", drop()),
            new Mutant("worker-without-a-value-is-not-listed", "pipeline", drop()),
            // ---- Work. ----
            new Mutant("turn-of-a-caller-that-has-given-up-is-lost", "turns-given-up", drop()),
            new Mutant("turn-of-a-cancelled-call-is-lost", "turns-given-up", drop()),
            new Mutant("turn-of-an-interrupted-caller-is-lost", "turns-given-up", empty()),
            new Mutant("turn-that-is-given-back-finds-no-caller", "turns-given-up", drop()),
            new Mutant("next-caller-has-no-alarm", "turns-given-up", drop()),
            new Mutant("wait-outlives-its-scope", "turns-given-up", drop()),
            new Mutant("two-callers-take-one-trial", "half-open",
                    preceded("lock.unlock(); assert SwitchPoints.here(); lock.lock();")),
            new Mutant("trial-of-an-earlier-round-counts", "half-open", drop()),
            new Mutant("cancelled-trial-leaves-no-place", "half-open", drop()),
            // ---- Topics. ----
            new Mutant("message-forgets-a-new-subscriber", "last-message", overwrite()),
            new Mutant("subscriber-is-attached-twice", "last-message", condition("!isActive()")),
            new Mutant("subscriber-begins-before-it-is-subscribed", "last-message", drop()),
            new Mutant("ended-subscription-handles-what-waits", "last-message", condition(false)),
            new Mutant("late-fate-is-not-in-the-sum", "last-message", condition(false)),
            new Mutant("full-mailbox-ends-the-delivery-to-the-others", "small-mailboxes",
                    replaced("throw e;")),
            new Mutant("full-mailbox-is-told-to-nobody", "small-mailboxes", condition(false)),
            new Mutant("message-that-is-passed-over-counts-as-handled", "small-mailboxes", drop()),
            new Mutant("message-that-is-passed-over-has-the-fate-of-a-handled-one", "small-mailboxes",
                    empty()),
            new Mutant("change-in-between-is-overwritten", "observed", condition(false)),
            new Mutant("observer-is-not-signalled-again", "observed", drop()),
            new Mutant("stopped-observer-is-still-active", "observed", withoutOperand(1)),
            new Mutant("stopped-subscriber-is-still-active", "last-message", withoutOperand(1)),
            // ---- State machines. ----
            new Mutant("postponed-events-stay-postponed", "machine", drop()),
            new Mutant("raised-event-waits-behind-others", "machine",
                    condition("context.self().sendMessage(event)")),
            new Mutant("timer-that-came-early-is-not-set-again", "machine", drop()),
            new Mutant("timer-of-a-state-that-was-left-is-its-time-out", "machine",
                    condition("first == null")),
            new Mutant("failed-step-has-moved", "machine", preceded("state = next;")));

    private PatternMutants() {
    }
}
