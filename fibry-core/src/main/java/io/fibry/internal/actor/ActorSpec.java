package io.fibry.internal.actor;

import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.function.Body;
import io.fibry.internal.actor.Supervision.Inheritance;
import io.fibry.internal.context.Carried;
import io.fibry.internal.context.Carriers;
import io.fibry.internal.context.SendSite;
import io.fibry.internal.run.LimitedStrategy;
import io.fibry.internal.run.Placement;
import io.fibry.internal.run.Strategies;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How an actor is built. One object serves all actors that a builder makes, whatever their names are. It does not
 * change once a builder has it: a method that sets something returns a copy. Other threads see its content through a
 * final field, or as the constructor of {@link Cell} describes.
 */
public final class ActorSpec implements Cloneable {
    /** The phase of actors that a scope closes when all others have stopped. */
    public static final int LAST_PHASE = Integer.MAX_VALUE;

    public Host scope;
    private CreationStrategy strategy;
    public Placement placement;
    public MailboxPolicy mailbox;
    FailurePolicy onFailure;
    private List<Body> exitHooks = List.of();
    @Nullable String name;
    public @Nullable Carriers carriers;
    public @Nullable Cell parent;
    public @Nullable Inheritance inheritance;
    boolean interruptOnCancel;
    private boolean runByCallers;
    /** Whether a thread that waits for its answer may run it. This follows from other settings. */
    public boolean mayBeRunByCallers;
    /** Whether a caller's thread may end it while it has nothing to do. This follows from the layers. */
    public boolean mayRunOnCaller = true;
    boolean namesInLog;
    /** Whether the event of a failure has the message. */
    private boolean keepsFailed;
    private int stopPhase;
    /** In no order. */
    private List<Layer> layers = List.of();
    /** Whether no other actor's handler may be below or above its own on a stack. */
    boolean ownStack;
    /** Whether its turns may run on top of another actor's handler on the stack of a lane. */
    boolean mayRunOnTop = true;
    /** What {@link #sameWith} has returned last. Made by any maker of actors, perhaps twice alike. */
    private volatile @Nullable ActorSpec layeredTwin;
    /**
     * A copy for actors that have stopped, once there is one; this object itself if there is nothing to drop.
     * Made by any thread, perhaps twice alike.
     */
    private volatile @Nullable ActorSpec endedTwin;
    /**
     * The object that differs from this one in the name alone; null if there is none. Actors with different names share
     * it.
     */
    private @Nullable ActorSpec unnamed;

    /** Makes the specification of anonymous actors for which nothing is set. {@link #in} gives them a scope. */
    @SuppressWarnings("NullAway") // no actor is made before that
    public ActorSpec() {
        strategy = Strategies.FIBERS;
        placement = Placement.of(strategy);
        mailbox = MailboxPolicy.unbounded();
        onFailure = FailurePolicy.resume();
    }

    /** Returns the name; throws if it cannot be the name of an actor. */
    public static String checkedName(String name) {
        if (Objects.requireNonNull(name, "name").isBlank()) {
            throw new IllegalArgumentException("the name of an actor must not be blank: '" + name
                    + "'; use anonymous() for one without a name");
        }
        return name;
    }

    /** Returns a copy to change. No lambda changes it: a call site that is first linked on a short stack may fail for ever. */
    private ActorSpec copy() {
        try {
            var copy = (ActorSpec) clone();
            copy.layeredTwin = null;
            copy.endedTwin = null;
            copy.unnamed = null;
            return copy;
        } catch (CloneNotSupportedException e) {
            throw new AssertionError(e);
        }
    }

    /** Derives what follows from the settings, when they have been changed. */
    private ActorSpec changed() {
        mayRunOnTop = !ownStack;
        mayRunOnCaller = true;
        for (var layer : layers) {
            mayRunOnTop &= layer.mayRunOnTop();
            mayRunOnCaller &= layer.mayRunOnCaller();
        }
        mayBeRunByCallers = mayRunOnCaller && runByCallers() && !placement.ownThread();
        return this;
    }

    // ---- Settings. In this room the fields are read. ----

    public Host scope() {
        return scope;
    }

    /** Returns the name for the actor that is made; null if it is anonymous. An actor knows its name itself. */
    public @Nullable String nameToGive() {
        return name;
    }

    /** Returns the object that an actor keeps: this one, or the one which it can share with actors of other names. */
    public ActorSpec shared() {
        return unnamed == null ? this : unnamed;
    }

    public @Nullable Cell parent() {
        return parent;
    }

    /** Returns where the nodes go that the actor leaves at its end; null if it can have no heir. */
    public @Nullable Inheritance inheritance() {
        return inheritance;
    }

    public CreationStrategy strategy() {
        return strategy;
    }

    /** Returns what the engine has to know of the strategy. */
    public Placement placement() {
        return placement;
    }

    public MailboxPolicy mailbox() {
        return mailbox;
    }

    public FailurePolicy onFailure() {
        return onFailure;
    }

    public List<Body> exitHooks() {
        return exitHooks;
    }

    /** Returns what captures the context that travels with its messages; null if none does. */
    public @Nullable Carriers carriers() {
        return carriers;
    }

    /**
     * Captures the context of the calling thread for a message to such an actor; null if none travels with
     * it. The method with a site is for what is no send of the calling thread.
     */
    public @Nullable Carried capture() {
        return carriers == null ? null : carriers.capture();
    }

    public @Nullable Carried capture(@Nullable SendSite sentFrom) {
        return carriers == null ? null : carriers.capture(sentFrom);
    }

    public boolean runByCallers() {
        return runByCallers && !(strategy instanceof LimitedStrategy);
    }

    /** Returns whether the diagnostic context of the log has the name while the actor's code runs. */
    public boolean namesInLog() {
        return namesInLog;
    }

    public boolean keepsFailed() {
        return keepsFailed;
    }

    public boolean hasOwnStack() {
        return ownStack;
    }

    public int stopPhase() {
        return stopPhase;
    }

    /** Returns the layers, in no order. */
    public List<Layer> layers() {
        return layers;
    }

    /** Returns the layer of a class; null if there is none. */
    public <L extends Layer> @Nullable L layer(Class<L> kind) {
        for (int i = 0; i < layers.size(); i++) { // without an iterator: this is asked often while an actor is made
            if (layers.get(i).getClass() == kind) {
                return kind.cast(layers.get(i));
            }
        }
        return null;
    }

    // ---- Copies with another setting. The room scope declares in one place who gets a setting. ----

    /** Returns a copy for anonymous actors of a scope. */
    public ActorSpec in(Host newScope, CreationStrategy newStrategy) {
        var copy = copy();
        copy.scope = newScope;
        copy.strategy = newStrategy;
        copy.placement = Placement.of(newStrategy);
        copy.name = null;
        copy.parent = null;
        copy.inheritance = null;
        return copy.changed();
    }

    public ActorSpec named(String newName) {
        var copy = copy();
        copy.name = newName;
        copy.unnamed = name == null ? this : unnamed;
        return copy.changed();
    }

    public ActorSpec childOf(Cell newParent) {
        var copy = copy();
        copy.parent = newParent;
        return copy.changed();
    }

    public ActorSpec leavingTo(Inheritance newInheritance) {
        var copy = copy();
        copy.inheritance = newInheritance;
        return copy.changed();
    }

    public ActorSpec on(CreationStrategy newStrategy) {
        var limited = scope.within(newStrategy);
        if (limited == strategy) {
            return this;
        }
        var copy = copy();
        copy.strategy = limited;
        copy.placement = Placement.of(copy.strategy);
        return copy.changed();
    }

    public ActorSpec with(MailboxPolicy newMailbox) {
        var copy = copy();
        copy.mailbox = newMailbox;
        return copy.changed();
    }

    public ActorSpec with(FailurePolicy newPolicy) {
        var copy = copy();
        copy.onFailure = newPolicy;
        return copy.changed();
    }

    public ActorSpec with(Body exitHook) {
        return ending(Stream.concat(exitHooks.stream(), Stream.of(exitHook)).toList());
    }

    /** Returns a copy with these exit hooks alone. */
    public ActorSpec ending(List<Body> newHooks) {
        var copy = copy();
        copy.exitHooks = newHooks;
        return copy.changed();
    }

    /** Returns a copy with this layer, in the place of the layer of its class that there is. */
    public ActorSpec with(Layer layer) {
        var all = new ArrayList<>(without(layer.getClass()).layers);
        all.add(layer);
        return withLayers(all);
    }

    /** Returns one copy for all actors that get the layer one by one. The layer is kept, and refers to nothing of the user. */
    public ActorSpec sameWith(Layer layer) {
        var twin = layeredTwin;
        if (twin == null || twin.layers.getLast() != layer) {
            twin = with(layer);
            twin.unnamed = unnamed == null ? null : unnamed.sameWith(layer);
            layeredTwin = twin;
        }
        return twin;
    }

    /** Returns a copy without the layer of a class. */
    public ActorSpec without(Class<? extends Layer> kind) {
        var there = layer(kind);
        if (there == null) {
            return this;
        }
        var left = new ArrayList<>(layers);
        left.remove(there);
        return withLayers(left);
    }

    /** Returns a copy with these layers alone. */
    public ActorSpec withLayers(List<Layer> newLayers) {
        var copy = copy();
        copy.layers = List.copyOf(newLayers);
        return copy.changed();
    }

    public ActorSpec carrying(@Nullable Carriers newCarriers) {
        if (newCarriers == carriers) {
            return this;
        }
        var copy = copy();
        copy.carriers = newCarriers;
        return copy.changed();
    }

    /** Adds a hook before those that there are. */
    public ActorSpec first(Body exitHook) {
        return ending(Stream.concat(Stream.of(exitHook), exitHooks.stream()).toList());
    }

    public ActorSpec interruptedOnCancel(boolean interrupted) {
        var copy = copy();
        copy.interruptOnCancel = interrupted;
        return copy.changed();
    }

    public ActorSpec namedInLog(boolean named) {
        var copy = copy();
        copy.namesInLog = named;
        return copy.changed();
    }

    public ActorSpec byCallers(boolean byCallers) {
        var copy = copy();
        copy.runByCallers = byCallers;
        return copy.changed();
    }

    public ActorSpec stoppedIn(int phase) {
        var copy = copy();
        copy.stopPhase = phase;
        return copy.changed();
    }

    public ActorSpec keepingFailed(boolean keeps) {
        if (keeps == keepsFailed) {
            return this;
        }
        var copy = copy();
        copy.keepsFailed = keeps;
        return copy.changed();
    }

    /** Returns a copy without hooks and layers: they belong to the user, and have run. */
    ActorSpec ofEnded() {
        var twin = endedTwin;
        if (twin == null) {
            twin = this;
            if (!exitHooks.isEmpty() || !layers.isEmpty()) {
                twin = copy();
                twin.layers = List.of();
                twin.exitHooks = List.of();
                twin.changed();
            }
            endedTwin = twin;
        }
        return twin;
    }

    public ActorSpec onOwnStack(boolean own) {
        if (own == ownStack) {
            return this;
        }
        var copy = copy();
        copy.ownStack = own;
        return copy.changed();
    }

    @Override
    public String toString() {
        return (name == null ? "anonymous" : name) + " in " + scope;
    }
}
