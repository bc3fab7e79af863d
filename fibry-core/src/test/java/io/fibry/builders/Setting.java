package io.fibry.builders;

import io.fibry.ActorBuilder;
import io.fibry.Handling;
import io.fibry.testing.Strategy;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A setting of a builder that a row of the matrix has or has not. To add a feature, add a constant: what it sets, and what
 * it cannot be combined with. An actor with the setting that does not use it has to behave as any other.
 */
enum Setting {
    ABANDON_STUCK(builder -> builder.abandonStuck(Combination.LONG, Combination.LONG)) {
        @Override
        List<String> refusal(Combination row) {
            if (row.form().receives) {
                return List.of("abandonStuck", "receives messages itself");
            }
            if (List.of(Strategy.CALLER, Strategy.EXECUTOR, Strategy.OWN).contains(row.strategy())) {
                return List.of("abandonStuck", "use fibers(), threads() or pool(n)");
            }
            // Keyed actors are never run by callers.
            if (row.has(RUN_BY_CALLERS) && row.place() != Place.KEYED) {
                return List.of("abandonStuck", "leave one of them out");
            }
            return List.of();
        }
    },
    STOP_WHEN_IDLE(builder -> builder.stopWhenIdle(Combination.IDLE)) {
        @Override
        List<String> refusal(Combination row) {
            if (row.place() == Place.KEYED) {
                return List.of("stopWhenIdle", "idle() of the keyed builder");
            }
            return row.form().receives ? List.of("stopWhenIdle", "use receive with a time limit") : List.of();
        }
    },
    RUN_BY_CALLERS(ActorBuilder::runByCallers), OWN_STACK(ActorBuilder::ownStack) {
        @Override
        List<String> refusal(Combination row) {
            if (row.strategy() == Strategy.CALLER) {
                return List.of("ownStack", "use another strategy");
            }
            return row.has(RUN_BY_CALLERS) && row.place() != Place.KEYED
                    ? List.of("ownStack", "leave out runByCallers()")
                    : List.of();
        }
    },
    STASH(builder -> builder.stash(4)) {
        @Override
        List<String> refusal(Combination row) {
            return row.form().receives ? List.of("stash", "let it receive the messages that it wants")
                    : List.of();
        }
    },
    URGENT(builder -> builder.urgent(4)) {
        @Override
        List<String> refusal(Combination row) {
            return row.form().receives ? List.of("urgent", "let it receive the messages that it wants")
                    : List.of();
        }
    },
    KEEP_FAILED(ActorBuilder::keepFailedMessages) {
        @Override
        List<String> refusal(Combination row) {
            return row.form().receives ? List.of("keepFailedMessages", "can catch what fails") : List.of();
        }
    },
    AROUND(builder -> builder.around(Handling::proceed)) {
        @Override
        List<String> refusal(Combination row) {
            return row.form().receives ? List.of("around", "receives messages itself", "use a handler")
                    : List.of();
        }
    },
    INTERRUPT_ON_CANCEL(ActorBuilder::interruptOnCancel);

    private final UnaryOperator<ActorBuilder> apply;

    Setting(UnaryOperator<ActorBuilder> apply) {
        this.apply = apply;
    }

    ActorBuilder on(ActorBuilder builder) {
        return apply.apply(builder);
    }

    /** What the exception says if the row cannot have this setting; empty if it can. */
    List<String> refusal(Combination row) {
        return List.of();
    }

    /** What an actor does. */
    enum Form {
        TELLS(false), ANSWERS(false), REQUESTS(false), RECEIVES(true), BODY(
                true), RECEIVES_AND_ANSWERS(
                        true), ANSWERING_BODY(true);

        final boolean receives;

        Form(boolean receives) {
            this.receives = receives;
        }

        boolean isBody() {
            return this == BODY || this == ANSWERING_BODY;
        }
    }

    /** Where an actor is made. */
    enum Place {
        SCOPE, GROUP, CHILD, KEYED
    }

    enum Mailbox {
        UNBOUNDED, BLOCKS, FAILS, DROPS_OLDEST
    }

}
