package io.fibry.internal.scope;

import io.fibry.CreationStrategy;
import io.fibry.internal.abandon.StuckLimit;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Layer;
import io.fibry.internal.actor.Stash;
import io.fibry.internal.run.LimitedStrategy;
import io.fibry.internal.run.Strategies;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A setting of a builder that not all have that the builder can make. A constant declares the method of the builder, whether a
 * specification has the setting, which forms refuse it and why, and with which other settings it is in conflict. {@link
 * ActorSpec} says which settings the actors have that do the work of another actor.
 */
public enum Setting {
    AROUND("around", Interceptors.class, Map.of(
            Form.RECEIVING,
            "it receives messages itself, which are not handled one by one; use a handler, or put the code into the"
                    + " handler or body and build the actor with withoutInterceptors()",
            Form.GROUP, Form.IN_MEMBERS, Form.SERVER,
            "its requests are no messages; put the code into what handles them",
            Form.SHARED_MAILBOX, Form.IN_TAKERS)) {
        // Receiving messages cannot be intercepted, whoever wants it. The other forms do not have what only the scope has.
        @Override
        boolean isIn(ActorSpec spec, Form form) {
            var interceptors = spec.layer(Interceptors.class);
            return interceptors != null && (form == Form.RECEIVING || !interceptors.areOfScope());
        }
    },
    ON_START("onStart", StartHooks.class, Map.of(
            Form.GROUP, Form.IN_MEMBERS, Form.SHARED_MAILBOX, Form.IN_TAKERS,
            Form.WORKERS,
            Form.EACH_HAS_ITS_OWN + "; begin each worker with what has to run first")), ABANDON_STUCK(
                    "abandonStuck", StuckLimit.class, Map.of(
                            Form.RECEIVING,
                            "it receives messages itself; use a handler, or receive with a time limit",
                            Form.BODY, "it may run for ever; use a handler",
                            Form.GROUP, Form.IN_MEMBERS, Form.SERVER, "it has time limits of its own",
                            Form.SHARED_MAILBOX, Form.IN_TAKERS, Form.WORKERS,
                            Form.EACH_HAS_ITS_OWN + ", which nobody waits behind")) {
                @Override
                @Nullable String conflict(ActorSpec spec) {
                    if (spec.placement().mayRunInPlace()) {
                        return "its strategy is " + spec.strategy()
                                + ", and the library cannot give up its threads; use fibers(), threads() or pool(n)";
                    }
                    return spec.runByCallers()
                            ? "it is made with runByCallers(), and a caller's thread cannot be given up; leave one of them out"
                            : null;
                }
            },
    STASH("stash", Stash.Limit.class, Form.ORDER), URGENT("urgent", null, Form.ORDER) {
        @Override
        boolean isIn(ActorSpec spec, Form form) {
            return spec.urgent() > 0;
        }
    },
    STOP_WHEN_IDLE("stopWhenIdle", null, Map.of(
            Form.RECEIVING, "it knows itself when it has nothing to do; use receive with a time limit",
            Form.KEYED, "give the time to KeyedOptions.idle instead")) {
        @Override
        boolean isIn(ActorSpec spec, Form form) {
            return spec.quietNanos() != Long.MAX_VALUE;
        }
    },
    KEEP_FAILED("keepFailedMessages", null, Map.of(
            Form.RECEIVING, Form.CAN_CATCH, Form.BODY, Form.CAN_CATCH)) {
        @Override
        boolean isIn(ActorSpec spec, Form form) {
            return spec.keepsFailed();
        }
    },
    INTERRUPT_ON_CANCEL("interruptOnCancel", null, Map.of()) {
        @Override
        boolean isIn(ActorSpec spec, Form form) {
            return spec.isInterruptedOnCancel();
        }
    },
    OWN_STACK("ownStack", null, Map.of()) {
        @Override
        boolean isIn(ActorSpec spec, Form form) {
            return spec.hasOwnStack();
        }

        @Override
        @Nullable String conflict(ActorSpec spec) {
            if (isOnCallers(spec.strategy())) {
                return "it runs on its senders' threads (its strategy is " + spec.strategy()
                        + "); use another strategy";
            }
            return spec.runByCallers() ? "it is to be run by its callers; leave out runByCallers()" : null;
        }

        private static boolean isOnCallers(CreationStrategy strategy) {
            return strategy instanceof LimitedStrategy limited ? isOnCallers(limited.base())
                    : strategy.equals(Strategies.CALLER);
        }
    };

    /** What a builder makes. */
    public enum Form {
        ACTOR("an actor"), RECEIVING("a receiving actor or body"), BODY("a body"), KEYED(
                "keyed actors"), GROUP("a group"), WORKERS("a master of workers"), SERVER(
                        "a server"), SHARED_MAILBOX(
                                "a shared mailbox");

        private static final String IN_MEMBERS = "set that where its members are made";
        private static final String IN_TAKERS = "set that where the actors are built that take its messages";
        private static final String EACH_HAS_ITS_OWN = "each message has an actor of its own there";
        private static final String CAN_CATCH = "it knows what it has taken, and can catch what fails";
        /** What refuses to change the order of messages. */
        private static final Map<Form, String> ORDER = Map.of(
                RECEIVING, "let it receive the messages that it wants, and leave the others",
                BODY, "it gets no messages",
                GROUP, IN_MEMBERS, WORKERS, EACH_HAS_ITS_OWN, SERVER, "hand its requests to another actor",
                SHARED_MAILBOX, IN_TAKERS);

        private final String text;

        Form(String text) {
            this.text = text;
        }
    }

    private final String method;
    private final @Nullable Class<? extends Layer> layer;
    @SuppressWarnings("ImmutableEnumChecker") // made by Map.of
    private final Map<Form, String> refusals;

    Setting(String method, @Nullable Class<? extends Layer> layer, Map<Form, String> refusals) {
        this.method = method;
        this.layer = layer;
        this.refusals = refusals;
    }

    /** Returns whether a specification has the setting, for what is to be made by it. */
    boolean isIn(ActorSpec spec, Form form) {
        return layer != null && spec.layer(layer) != null;
    }

    /** Returns why actors with the setting cannot have another one that they have; null if they can. */
    @Nullable String conflict(ActorSpec spec) {
        return null;
    }

    /**
     * Throws {@link IllegalStateException} if something is to be made that cannot have one of the settings.
     *
     * @param spec the specification
     * @param form what is to be made
     */
    public static void refuse(ActorSpec spec, Form form) {
        for (var setting : values()) {
            var why = setting.refusals.get(form);
            if (why != null && setting.isIn(spec, form)) {
                throw setting.wrong(spec, form, why);
            }
        }
    }

    /**
     * Throws {@link IllegalStateException} if settings of a specification are in conflict.
     *
     * @param spec the specification of an actor that is to be made
     */
    public static void check(ActorSpec spec) {
        if (spec.layers().isEmpty() && !spec.hasOwnStack()) {
            return; // most actors: nothing else has conflicts
        }
        for (var setting : values()) {
            var why = setting.isIn(spec, Form.ACTOR) ? setting.conflict(spec) : null;
            if (why != null) {
                throw setting.wrong(spec, Form.ACTOR, why);
            }
        }
    }

    private IllegalStateException wrong(ActorSpec spec, Form form, String why) {
        var name = spec.nameToGive();
        return new IllegalStateException(
                form.text + (name == null ? "" : " named '" + name + "'") + " cannot have "
                        + method + ": " + why);
    }
}
