package io.fibry.internal.actor;

import io.fibry.Body;
import io.fibry.CloseBehavior;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.internal.context.Carried;
import io.fibry.internal.context.Carriers;
import io.fibry.internal.run.LimitedStrategy;
import io.fibry.internal.run.Placement;
import io.fibry.internal.run.Strategies;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How an actor is to be. One object serves all actors that a builder makes. It does not change once a builder
 * has it: whoever wants something else gets a copy. Its readers see it through a final field, or as the constructor of
 * {@link Cell} says.
 */
public final class ActorSpec implements Cloneable {
    /** Of what a scope closes when all else has stopped. */
    public static final int LAST_PHASE = Integer.MAX_VALUE;

    private Host scope;
    private CreationStrategy strategy;
    private Placement placement;
    private MailboxPolicy mailbox;
    private FailurePolicy onFailure;
    private CloseBehavior onClose = CloseBehavior.SEND_POISON_PILL_AND_WAIT;
    private List<Body> exitHooks = List.of();
    private @Nullable String name;
    private @Nullable Carriers carriers;
    private @Nullable Cell parent;
    private @Nullable Inheritance heritage;
    private boolean interruptOnCancel;
    private boolean receiving;
    private boolean runByCallers;
    private boolean namesInLog;
    private int stopPhase;
    private long quietNanos = Long.MAX_VALUE;
    private @Nullable BehaviorWrapper wrapper;
    /** Whether no other actor's handler may be below or above its own on a stack. */
    private boolean ownStack;
    /** Whether another actor's handler may be below its turns on the stack of a lane. */
    private boolean mayRunOnTop = true;
    /** The same for actors that receive, once somebody has asked for it: some make many of them. */
    private volatile @Nullable ActorSpec receivingTwin;
    /** The same for actors that have stopped, once there is one; itself if there is nothing to let go of. */
    private volatile @Nullable ActorSpec endedTwin;

    /** An anonymous actor that says nothing but what its scope says. */
    public ActorSpec(Host scope, CreationStrategy strategy, MailboxPolicy mailbox, FailurePolicy onFailure) {
        this.scope = scope;
        this.strategy = strategy;
        this.placement = Placement.of(strategy);
        this.mailbox = mailbox;
        this.onFailure = onFailure;
    }

    /** Throws if it is no name; else the name. */
    public static String checkedName(String name) {
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("the name of an actor must not be blank: '" + name
                    + "'; use anonymous() for one without a name");
        }
        return name;
    }

    private ActorSpec but(Consumer<ActorSpec> change) {
        try {
            var copy = (ActorSpec) clone();
            copy.receivingTwin = null;
            copy.endedTwin = null;
            change.accept(copy);
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    // ---- What it says. ----

    public Host scope() {
        return scope;
    }

    public @Nullable String name() {
        return name;
    }

    public @Nullable Cell parent() {
        return parent;
    }

    /** Where what waits at its end goes, if there may be a successor. */
    public @Nullable Inheritance heritage() {
        return heritage;
    }

    public CreationStrategy strategy() {
        return strategy;
    }

    /** What the engine has to know of the strategy. */
    public Placement placement() {
        return placement;
    }

    public MailboxPolicy mailbox() {
        return mailbox;
    }

    public FailurePolicy onFailure() {
        return onFailure;
    }

    CloseBehavior onClose() {
        return onClose;
    }

    public List<Body> exitHooks() {
        return exitHooks;
    }

    /** What goes with its messages; null if nothing does. */
    public @Nullable Carriers carriers() {
        return carriers;
    }

    /** Captures what the calling thread has to go with a message to such an actor; null if nothing goes with it. */
    public @Nullable Carried capture() {
        return carriers == null ? null : carriers.capture();
    }

    boolean interruptOnCancel() {
        return interruptOnCancel;
    }

    /** Whether its handler, or body, takes messages itself. */
    public boolean receiving() {
        return receiving;
    }

    public boolean runByCallers() {
        return runByCallers && !(strategy instanceof LimitedStrategy);
    }

    /** Whether the name is in the diagnostic context of the log while its code runs. */
    public boolean namesInLog() {
        return namesInLog;
    }

    public int stopPhase() {
        return stopPhase;
    }

    /** How long it may have nothing to do before it stops; for ever if that is the longest time. */
    public long quietNanos() {
        return quietNanos;
    }

    /** What a feature puts around its behaviour; null if none does. */
    public @Nullable BehaviorWrapper wrapper() {
        return wrapper;
    }

    /** Whether its turns may run on the stack of a lane's handler that waits for it. */
    boolean mayRunOnTop() {
        return mayRunOnTop;
    }

    /** Whether no other actor's handler is on a stack with its own. */
    boolean ownStack() {
        return ownStack;
    }

    /** Throws if actors of this kind cannot have what they are to have. */
    public void check() {
        if (wrapper != null) {
            wrapper.check(this);
        }
        requireStack();
    }

    /** Throws if it is to have its own stack and to run on those of others. */
    private void requireStack() {
        var onOthers = isOnCallers(strategy)
                ? "runs on its senders' threads (its strategy is " + strategy + "); use another strategy"
                : runByCallers() ? "is to be run by its callers; leave out runByCallers()" : "";
        if (ownStack && !onOthers.isEmpty()) {
            throw new IllegalStateException("ownStack cannot be had by an actor"
                    + (name == null ? "" : " named '" + name + "'") + " that " + onOthers);
        }
    }

    private static boolean isOnCallers(CreationStrategy strategy) {
        return strategy instanceof LimitedStrategy limited
                ? isOnCallers(limited.base())
                : strategy.equals(Strategies.CALLER);
    }

    // ---- Copies that say something else. ----

    public ActorSpec named(String newName) {
        return but(copy -> copy.name = newName);
    }

    public ActorSpec childOf(Cell newParent) {
        return but(copy -> copy.parent = newParent);
    }

    public ActorSpec leavingTo(Inheritance newHeritage) {
        return but(copy -> copy.heritage = newHeritage);
    }

    public ActorSpec on(CreationStrategy newStrategy) {
        var limited = scope.within(newStrategy);
        return limited == strategy ? this : but(copy -> {
            copy.strategy = limited;
            copy.placement = Placement.of(copy.strategy);
        });
    }

    public ActorSpec with(MailboxPolicy newMailbox) {
        return but(copy -> copy.mailbox = newMailbox);
    }

    public ActorSpec with(FailurePolicy newPolicy) {
        return but(copy -> copy.onFailure = newPolicy);
    }

    public ActorSpec with(CloseBehavior newBehavior) {
        return but(copy -> copy.onClose = newBehavior);
    }

    public ActorSpec with(Body exitHook) {
        var hooks = new ArrayList<>(exitHooks);
        hooks.add(exitHook);
        return but(copy -> copy.exitHooks = List.copyOf(hooks));
    }

    public ActorSpec carrying(@Nullable Carriers newCarriers) {
        return newCarriers == carriers ? this : but(copy -> copy.carriers = newCarriers);
    }

    /** Before the hooks that there are. */
    public ActorSpec first(Body exitHook) {
        var hooks = new ArrayList<Body>(List.of(exitHook));
        hooks.addAll(exitHooks);
        return but(copy -> copy.exitHooks = List.copyOf(hooks));
    }

    public ActorSpec interruptedOnCancel() {
        return but(copy -> copy.interruptOnCancel = true);
    }

    /** While a scope makes its first one. */
    public ActorSpec namedInLog(boolean named) {
        namesInLog = named;
        return this;
    }

    public ActorSpec byCallers() {
        return but(copy -> copy.runByCallers = true);
    }

    public ActorSpec stoppedIn(int phase) {
        return but(copy -> copy.stopPhase = phase);
    }

    public ActorSpec stoppedAfter(long quiet) {
        return but(copy -> copy.quietNanos = quiet);
    }

    public ActorSpec asReceiving() {
        if (receiving) {
            return this;
        }
        var twin = receivingTwin;
        if (twin == null) {
            twin = but(copy -> {
                copy.receiving = true;
                copy.mayRunOnTop = false;
            });
            receivingTwin = twin;
        }
        return twin;
    }

    /** The same without exit hooks: these are the user's, and have run. */
    ActorSpec ofEnded() {
        var twin = endedTwin;
        if (twin == null) {
            twin = exitHooks.isEmpty() ? this : but(copy -> copy.exitHooks = List.of());
            endedTwin = twin;
        }
        return twin;
    }

    /** With what a feature puts around its behaviour, which then needs a stack of its own. */
    public ActorSpec wrapped(@Nullable BehaviorWrapper newWrapper) {
        return but(copy -> {
            copy.wrapper = newWrapper;
            copy.mayRunOnTop = newWrapper == null && !receiving && !ownStack;
        });
    }

    public ActorSpec onOwnStack() {
        return ownStack ? this : but(copy -> {
            copy.ownStack = true;
            copy.mayRunOnTop = false;
        });
    }

    /** The same for an anonymous actor of another scope, without the hooks. */
    public ActorSpec of(Host other) {
        return but(copy -> {
            copy.scope = other;
            copy.name = null;
            copy.parent = null;
            copy.heritage = null;
            copy.mailbox = MailboxPolicy.unbounded();
            copy.exitHooks = List.of();
            copy.stopPhase = 0;
            copy.receiving = false;
            copy.runByCallers = false;
            copy.wrapper = null;
            copy.mayRunOnTop = !ownStack;
            copy.quietNanos = Long.MAX_VALUE;
        });
    }

    @Override
    public String toString() {
        return (name == null ? "anonymous" : name) + " in " + scope;
    }
}
