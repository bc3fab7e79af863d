package io.fibry.internal.scope;

import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.internal.abandon.StuckLimit;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Layer;
import io.fibry.internal.aside.Stash;
import io.fibry.internal.aside.UrgentLane;
import io.fibry.internal.run.LimitedStrategy;
import io.fibry.internal.run.Strategies;
import io.fibry.internal.timer.IdleStop;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A setting of actors. A constant is all that there is to declare: the method of the builder, how a specification loses
 * the setting, who takes it over from a specification, and which forms refuse it and why. Some also declare with which
 * other settings they are in conflict. The value is in a field of {@link ActorSpec}, or is a {@link Layer}.
 */
public enum Setting {
    // @formatter:off: a formatter would put several settings on a line

    /** The scope of an heir decides on which strategy it runs. */
    STRATEGY("strategy", spec -> spec, Heir.EACH_BUT_SERVICE, Map.of()),

    MAILBOX("mailbox", spec -> spec.with(MailboxPolicy.unbounded()), Set.of(Heir.INNER, Heir.CREW, Heir.KEY), Map.of()),

    ON_FAILURE("onFailure", spec -> spec.with(FailurePolicy.resume()),
            Set.of(Heir.INNER, Heir.CREW, Heir.WORKER, Heir.KEY), Map.of()),

    CARRY("carry", spec -> spec.carrying(null), Heir.EACH_BUT_SERVICE, Map.of()),

    NAME_ACTORS_IN_MDC("nameActorsInMdc", spec -> spec.namedInLog(false), Heir.EACH, Map.of()),

    AROUND("around", spec -> spec.without(Interceptors.class), Set.of(Heir.INNER, Heir.WORKER, Heir.KEY), Map.of(
            Form.RECEIVING, "it receives messages itself, which are not handled one by one; use a handler, or put the code into the"
                    + " handler or body and build the actor with withoutDefaults()",
            Form.BODY, Form.NO_MESSAGES,
            Form.GROUP, Form.IN_MEMBERS,
            Form.SERVER, "its requests are no messages; put the code into what handles them",
            Form.SHARED_MAILBOX, Form.IN_TAKERS)) {
        // Receiving messages cannot be intercepted, whoever wants it.
        @Override
        boolean isLeftOut(ActorSpec spec, Form form) {
            var interceptors = spec.layer(Interceptors.class);
            return form != Form.RECEIVING && interceptors != null && interceptors.areOfScope();
        }
    },

    OWN_STACK("ownStack", spec -> spec.onOwnStack(false), Heir.EACH, Map.of()) {
        @Override
        @Nullable String conflict(ActorSpec spec) {
            if (!spec.hasOwnStack()) {
                return null;
            }
            if (isOnCallers(spec.strategy())) {
                return "it runs on its senders' threads (its strategy is " + spec.strategy() + "); use another strategy";
            }
            return spec.runByCallers() ? "it is to be run by its callers; leave out runByCallers()" : null;
        }

        private static boolean isOnCallers(CreationStrategy strategy) {
            return strategy instanceof LimitedStrategy limited ? isOnCallers(limited.base())
                    : strategy.equals(Strategies.CALLER);
        }
    },

    ON_START("onStart", spec -> spec.without(StartHooks.class), Set.of(Heir.KEY), Map.of(
            Form.GROUP, Form.IN_MEMBERS,
            Form.SHARED_MAILBOX, Form.IN_TAKERS,
            Form.WORKERS, Form.EACH_HAS_ITS_OWN + "; begin each worker with what has to run first")),

    ON_EXIT("onExit", spec -> spec.ending(List.of()), Set.of(Heir.KEY), Map.of()),

    ABANDON_STUCK("abandonStuck", spec -> spec.without(StuckLimit.class), Set.of(Heir.KEY), Map.of(
            Form.RECEIVING, "it receives messages itself; use a handler, or receive with a time limit",
            Form.BODY, "it may run for ever; use a handler",
            Form.GROUP, Form.IN_MEMBERS,
            Form.SERVER, "it has time limits of its own",
            Form.SHARED_MAILBOX, Form.IN_TAKERS,
            Form.WORKERS, Form.EACH_HAS_ITS_OWN + ", which nobody waits behind")) {
        @Override
        @Nullable String conflict(ActorSpec spec) {
            if (spec.layer(StuckLimit.class) == null) {
                return null;
            }
            if (spec.placement().mayRunInPlace()) {
                return "its strategy is " + spec.strategy()
                        + ", and the library cannot give up its threads; use fibers(), threads() or pool(n)";
            }
            return spec.runByCallers()
                    ? "it is made with runByCallers(), and a caller's thread cannot be given up; leave one of them out"
                    : null;
        }
    },

    STASH("stash", spec -> spec.without(Stash.Limit.class), Set.of(Heir.KEY), Form.ORDER),

    URGENT("urgent", spec -> spec.without(UrgentLane.Limit.class), Set.of(Heir.KEY), Form.ORDER),

    KEEP_FAILED("keepFailedMessages", spec -> spec.keepingFailed(false), Set.of(Heir.WORKER, Heir.KEY), Map.of(
            Form.RECEIVING, Form.CAN_CATCH,
            Form.BODY, Form.CAN_CATCH)),

    INTERRUPT_ON_CANCEL("interruptOnCancel", spec -> spec.interruptedOnCancel(false), Set.of(Heir.WORKER, Heir.KEY), Map.of()),

    RUN_BY_CALLERS("runByCallers", spec -> spec.byCallers(false), Set.of(), Map.of()),

    STOP_PHASE("stopPhase", spec -> spec.stoppedIn(0), Set.of(), Map.of()),

    STOP_WHEN_IDLE("stopWhenIdle", spec -> spec.without(IdleStop.After.class), Set.of(), Map.of(
            Form.RECEIVING, "it knows itself when it has nothing to do; use receive with a time limit",
            Form.KEYED, "give the time to idle() of the keyed builder instead"));

    // @formatter:on

    /** A kind of actor that takes settings over from a specification. */
    public enum Heir {
        /** An actor of a scope inside a scope. */
        INNER,
        /** An actor of a server, and an actor that a worker or the actor of a key makes. */
        CREW,
        /** An actor that handles one message of its master. */
        WORKER,
        /** The actor of a key. */
        KEY,
        /** An actor that the library makes for itself in a scope of the program. */
        OWN,
        /** An actor of the library on which other actors depend. */
        SERVICE;

        private static final Set<Heir> EACH = Set.of(values());
        private static final Set<Heir> EACH_BUT_SERVICE = Set.of(INNER, CREW, WORKER, KEY, OWN);
    }

    /** What a builder makes. */
    public enum Form {
        // @formatter:off
        ACTOR("an actor"),
        RECEIVING("a receiving actor or body"),
        BODY("a body"),
        KEYED("keyed actors"),
        GROUP("a group"),
        WORKERS("a master of workers"),
        SERVER("a server"),
        SHARED_MAILBOX("a shared mailbox");
        // @formatter:on

        private static final String IN_MEMBERS = "set that where its members are made";
        private static final String IN_TAKERS = "set that where the actors are built that take its messages";
        private static final String EACH_HAS_ITS_OWN = "each message has an actor of its own there";
        private static final String CAN_CATCH = "it knows what it has taken, and can catch what fails";
        private static final String NO_MESSAGES = "it gets no messages";
        /** What refuses to change the order of messages. */
        private static final Map<Form, String> ORDER = Map.of(
                RECEIVING, "let it receive the messages that it wants, and leave the others",
                BODY, NO_MESSAGES,
                GROUP, IN_MEMBERS, WORKERS, EACH_HAS_ITS_OWN, SERVER, "hand its requests to another actor",
                SHARED_MAILBOX, IN_TAKERS);

        private final String text;

        Form(String text) {
            this.text = text;
        }
    }

    final String method;
    @SuppressWarnings("ImmutableEnumChecker") // it changes nothing
    private final UnaryOperator<ActorSpec> without;
    @SuppressWarnings("ImmutableEnumChecker") // made by Set.of
    final Set<Heir> heirs;
    @SuppressWarnings("ImmutableEnumChecker") // made by Map.of
    final Map<Form, String> refusals;

    /** If there are refusals, {@code without} returns the same object for a specification that does not have the setting. */
    Setting(String method, UnaryOperator<ActorSpec> without, Set<Heir> heirs, Map<Form, String> refusals) {
        this.method = method;
        this.without = without;
        this.heirs = heirs;
        this.refusals = refusals;
    }

    /** Returns a specification without the setting. */
    ActorSpec without(ActorSpec spec) {
        return without.apply(spec);
    }

    /** Returns why actors with the setting cannot have another one that they have; null if they can. */
    @Nullable String conflict(ActorSpec spec) {
        return null;
    }

    /** Returns whether a form that refuses the setting goes without it, since the scope alone has it. */
    boolean isLeftOut(ActorSpec spec, Form form) {
        return false;
    }

    /** Returns what an heir takes over from a specification. */
    public static ActorSpec handDown(ActorSpec spec, Heir heir) {
        var left = spec;
        for (var setting : values()) {
            if (!setting.heirs.contains(heir)) {
                left = setting.without(left);
            }
        }
        return left;
    }

    /**
     * Returns the specification of what is to be made; throws {@link IllegalStateException} if it cannot have a setting.
     *
     * @param spec the builder's specification
     * @param form what is to be made
     */
    public static ActorSpec fitting(ActorSpec spec, Form form) {
        var fitting = spec;
        for (var setting : values()) {
            var why = setting.refusals.get(form);
            if (why != null) {
                var left = setting.without(fitting);
                if (left != fitting && !setting.isLeftOut(spec, form)) {
                    throw setting.wrong(spec, form, why);
                }
                fitting = left;
            }
        }
        return fitting;
    }

    /**
     * Throws {@link IllegalStateException} if settings of a specification are in conflict.
     *
     * @param spec the specification of an actor that is to be made
     */
    public static void check(ActorSpec spec) {
        if (spec.layer(StuckLimit.class) == null && !spec.hasOwnStack()) {
            return; // most actors: nothing else has conflicts
        }
        for (var setting : values()) {
            var why = setting.conflict(spec);
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
