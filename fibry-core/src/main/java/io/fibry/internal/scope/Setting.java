package io.fibry.internal.scope;

import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.internal.abandon.StuckLimit;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Host;
import io.fibry.internal.actor.Layer;
import io.fibry.internal.actor.Stash;
import io.fibry.internal.run.LimitedStrategy;
import io.fibry.internal.run.Strategies;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A setting of actors or scopes. A constant is all that is said of it: the method of the builder, who gets it besides the
 * actor or scope that it was given to, which forms refuse it and why, and with which other settings it is in conflict. {@link
 * ActorSpec} and {@link ScopeSpec} have the values.
 */
public enum Setting {
    /** A specification has it from the beginning: workers and actors of keys that of their master. */
    STRATEGY("strategy", Heir.WORKING), MAILBOX("mailbox",
            Set.of(Heir.ACTOR, Heir.SCOPE, Heir.CREW, Heir.KEY)) {
        @Override
        void give(ScopeSpec from, ScopeSpec to) {
            to.mailbox = from.mailbox;
        }

        @Override
        ActorSpec give(ScopeSpec from, ActorSpec to) {
            return to.with(from.mailbox);
        }

        @Override
        ActorSpec give(ActorSpec from, ActorSpec to) {
            return to.with(from.mailbox());
        }
    },
    ON_FAILURE("onFailure", Set.of(Heir.ACTOR, Heir.SCOPE, Heir.CREW, Heir.WORKER, Heir.KEY)) {
        @Override
        void give(ScopeSpec from, ScopeSpec to) {
            to.onFailure = from.onFailure;
        }

        @Override
        ActorSpec give(ScopeSpec from, ActorSpec to) {
            return to.with(from.onFailure);
        }

        @Override
        ActorSpec give(ActorSpec from, ActorSpec to) {
            return to.with(from.onFailure());
        }
    },
    CARRY("carry", Set.of(Heir.ACTOR, Heir.SCOPE, Heir.CREW, Heir.WORKER, Heir.KEY)) {
        @Override
        void give(ScopeSpec from, ScopeSpec to) {
            to.carriers = from.carriers;
        }

        // The scope gives its actors what it carries by now.
        @Override
        ActorSpec give(ScopeSpec from, ActorSpec to) {
            return to;
        }

        @Override
        ActorSpec give(ActorSpec from, ActorSpec to) {
            return to.carrying(from.carriers());
        }
    },
    AROUND("around", Set.of(Heir.ACTOR, Heir.SCOPE, Heir.KEY), Interceptors.class, Map.of(
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

        @Override
        void give(ScopeSpec from, ScopeSpec to) {
            to.interceptors = from.interceptors;
        }

        @Override
        ActorSpec give(ScopeSpec from, ActorSpec to) {
            return from.interceptors.isEmpty() ? to
                    : to.with(new Interceptors(from.interceptors, from.interceptors.size()));
        }
    },
    ON_START("onStart", Set.of(Heir.KEY), StartHooks.class, Map.of(
            Form.GROUP, Form.IN_MEMBERS, Form.SHARED_MAILBOX, Form.IN_TAKERS, Form.WORKERS,
            Form.EACH_HAS_ITS_OWN + "; begin each worker with what has to run first")), ON_EXIT(
                    "onExit",
                    Heir.NONE), ABANDON_STUCK("abandonStuck", Set.of(Heir.KEY), StuckLimit.class, Map.of(
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
    STASH("stash", Set.of(Heir.KEY), Stash.Limit.class, Form.ORDER), URGENT("urgent", Set.of(Heir.KEY), null,
            Form.ORDER) {
        @Override
        boolean isIn(ActorSpec spec, Form form) {
            return spec.urgent() > 0;
        }

        @Override
        ActorSpec give(ActorSpec from, ActorSpec to) {
            return to.takingUrgent(from.urgent());
        }
    },
    STOP_WHEN_IDLE("stopWhenIdle", Heir.NONE, null, Map.of(
            Form.RECEIVING, "it knows itself when it has nothing to do; use receive with a time limit",
            Form.KEYED, "give the time to idle() of the keyed builder instead")) {
        @Override
        boolean isIn(ActorSpec spec, Form form) {
            return spec.quietNanos() != Long.MAX_VALUE;
        }
    },
    KEEP_FAILED("keepFailedMessages", Heir.WORKING, null, Map.of(
            Form.RECEIVING, Form.CAN_CATCH, Form.BODY, Form.CAN_CATCH)) {
        @Override
        boolean isIn(ActorSpec spec, Form form) {
            return spec.keepsFailed();
        }

        @Override
        ActorSpec give(ActorSpec from, ActorSpec to) {
            return from.keepsFailed() ? to.keepingFailed() : to;
        }
    },
    INTERRUPT_ON_CANCEL("interruptOnCancel", Heir.WORKING) {
        @Override
        ActorSpec give(ActorSpec from, ActorSpec to) {
            return from.isInterruptedOnCancel() ? to.interruptedOnCancel() : to;
        }
    },
    RUN_BY_CALLERS("runByCallers", Heir.NONE), STOP_PHASE("stopPhase", Heir.NONE), OWN_STACK("ownStack",
            Heir.ALL) {
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

        @Override
        void give(ScopeSpec from, ScopeSpec to) {
            to.ownStack = from.ownStack;
        }

        @Override
        ActorSpec give(ScopeSpec from, ActorSpec to) {
            return from.ownStack ? to.onOwnStack() : to;
        }

        @Override
        ActorSpec give(ActorSpec from, ActorSpec to) {
            return from.hasOwnStack() ? to.onOwnStack() : to;
        }
    },
    NAME_ACTORS_IN_MDC("nameActorsInMdc", Heir.ALL) {
        @Override
        void give(ScopeSpec from, ScopeSpec to) {
            to.namesActorsInMdc = from.namesActorsInMdc;
        }

        @Override
        ActorSpec give(ScopeSpec from, ActorSpec to) {
            return to.namedInLog(from.namesActorsInMdc);
        }

        @Override
        ActorSpec give(ActorSpec from, ActorSpec to) {
            return to.namedInLog(from.namesInLog());
        }
    },
    TIME("time", Heir.SCOPES) {
        @Override
        void give(ScopeSpec from, ScopeSpec to) {
            to.time = from.time;
        }
    },
    RANDOM("random", Heir.SCOPES) {
        @Override
        void give(ScopeSpec from, ScopeSpec to) {
            to.random = from.random;
        }
    },
    CLOSE_TIMEOUT("closeTimeout", Heir.SCOPES) {
        @Override
        void give(ScopeSpec from, ScopeSpec to) {
            to.closeTimeout = from.closeTimeout;
        }
    },
    // What reaches the scopes inside without being copied, or concerns the one scope.
    LISTENER("listener", Heir.NONE), SENDER_SITES("senderSites", Heir.NONE), LIMITS("limits",
            Heir.NONE), WATCHDOG("watchdog", Heir.NONE), MEASURES("measures", Heir.NONE), CLOSE_AT_SHUTDOWN(
                    "closeAtShutdown", Heir.NONE), KEEP_JVM_ALIVE("keepJvmAlive", Heir.NONE);

    /** Who may get a setting that was given to another one. */
    public enum Heir {
        /** An actor of the scope. */
        ACTOR,
        /** A scope inside. */
        SCOPE,
        /** The scope of those that work for an actor or a server of the scope. */
        CREW,
        /** A scope of actors on which those of others depend, for example of a cluster: what is meant for actors of a user is not for them. */
        SERVICE,
        /** A worker of the actor. */
        WORKER,
        /** The actor of a key. */
        KEY;

        static final Set<Heir> NONE = Set.of();
        static final Set<Heir> SCOPES = Set.of(SCOPE, CREW, SERVICE);
        static final Set<Heir> WORKING = Set.of(WORKER, KEY);
        static final Set<Heir> ALL = Set.of(values());
    }

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
    @SuppressWarnings("ImmutableEnumChecker") // made by Set.of
    private final Set<Heir> heirs;
    private final @Nullable Class<? extends Layer> layer;
    @SuppressWarnings("ImmutableEnumChecker") // made by Map.of
    private final Map<Form, String> refusals;

    Setting(String method, Set<Heir> heirs) {
        this(method, heirs, null, Map.of());
    }

    Setting(String method, Set<Heir> heirs, @Nullable Class<? extends Layer> layer,
            Map<Form, String> refusals) {
        this.method = method;
        this.heirs = heirs;
        this.layer = layer;
        this.refusals = refusals;
    }

    /** Returns the method of the builders. */
    String method() {
        return method;
    }

    /** Returns the layer that it puts around a handler; null if it puts none. */
    @Nullable Class<? extends Layer> layer() {
        return layer;
    }

    boolean isFor(Heir heir) {
        return heirs.contains(heir);
    }

    /** Returns whether a specification has the setting, for what is to be made by it. */
    boolean isIn(ActorSpec spec, Form form) {
        return layer != null && spec.layer(layer) != null;
    }

    /** Returns why actors with the setting cannot have another one that they have; null if they can. */
    @Nullable String conflict(ActorSpec spec) {
        return null;
    }

    // ---- How it is handed down. A constant with an heir overrides what this heir needs. ----

    /** Gives the setting of a scope to a specification of another one that is just being made. */
    void give(ScopeSpec from, ScopeSpec to) {
        throw new AssertionError(this + " has an heir and does not say what it gets");
    }

    /** Returns the specification of an actor with the setting of its scope. */
    ActorSpec give(ScopeSpec from, ActorSpec to) {
        throw new AssertionError(this + " has an heir and does not say what it gets");
    }

    /** Returns the specification of an actor that works for another one, with the setting of that. */
    ActorSpec give(ActorSpec from, ActorSpec to) {
        var own = layer == null ? null : from.layer(layer);
        return own == null ? to : to.with(own);
    }

    /** Gives the settings of a scope to a specification of another one that is just being made. */
    static void handDown(ScopeSpec from, ScopeSpec to, Heir heir) {
        for (var setting : values()) {
            if (setting.isFor(heir)) {
                setting.give(from, to);
            }
        }
    }

    /** Returns the specification of an anonymous actor of a scope. */
    static ActorSpec handDown(ScopeSpec from, ActorSpec bare) {
        var actor = bare;
        for (var setting : values()) {
            if (setting.isFor(Heir.ACTOR)) {
                actor = setting.give(from, actor);
            }
        }
        return actor;
    }

    /** Returns the specification of an anonymous actor that does work of such an actor, in a scope of its own. */
    public static ActorSpec handDown(ActorSpec from, Host crew, Heir heir) {
        var actor = bare(crew, from.strategy());
        for (var setting : values()) {
            if (setting.isFor(heir)) {
                actor = setting.give(from, actor);
            }
        }
        return actor;
    }

    /** Returns a specification without any setting but its strategy. */
    static ActorSpec bare(Host scope, CreationStrategy strategy) {
        return new ActorSpec(scope, strategy, MailboxPolicy.unbounded(), FailurePolicy.resume());
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
