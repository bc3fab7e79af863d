package io.fibry.internal.scope;

import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.AskNode;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.ForwardingBehavior;
import io.fibry.internal.actor.Host;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Node;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.actor.TaskNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.limit.Permit;
import io.fibry.internal.run.Quota;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Hands each message to a new actor, which stops after it. Closing it waits for those that work. */
final class WorkersBehavior extends ForwardingBehavior implements AutoCloseable {
    private final Scope crew;
    private final ActorSpec spec;
    private final Behavior worker;
    private final @Nullable Quota gate;
    /** The places that the message taken last has taken; the turn's. */
    private @Nullable Permit carried;

    WorkersBehavior(ActorSpec master, Behavior worker) {
        this(master, worker, null);
    }

    /** Of which only so many messages may be handled or wait at a time. */
    WorkersBehavior(ActorSpec master, Behavior worker, @Nullable Quota gate) {
        this.gate = gate;
        this.crew = Scope.of(master).workers(master.name() == null ? "workers" : master.name() + "-workers");
        this.spec = master.of(crew);
        this.worker = worker;
    }

    @Override
    public Class<?> handlerClass() {
        return WorkersBehavior.class;
    }

    @Override
    public @Nullable Quota gate() {
        return gate;
    }

    @Override
    public boolean carries(Permit permit) {
        carried = permit;
        return true;
    }

    @Override
    public Optional<Host> crew() {
        return Optional.of(crew);
    }

    @Override
    public @Nullable Object handle(Turn turn, Object message) {
        var places = takeCarried();
        start(ActorFactory.cell(spec, working(places)), MessageNode.to(spec, message), places);
        return null;
    }

    /** The worker's result is the answer. */
    @Override
    public void forward(Object message, Answer<@Nullable Object> answer) {
        var places = takeCarried();
        Cell cell = ActorFactory.cell(spec, working(places));
        answer.forwardTo(cell);
        start(cell, AskNode.to(spec, message, answer), places);
    }

    @Override
    public void forward(Callable<? extends @Nullable Object> code, Object shown,
            @Nullable Answer<@Nullable Object> answer) {
        var places = takeCarried();
        Cell cell = ActorFactory.cell(spec, worker);
        if (answer != null) {
            answer.forwardTo(cell);
        }
        start(cell, TaskNode.to(spec, places == null ? code : () -> {
            places.begin();
            try {
                return code.call();
            } finally {
                places.giveBack();
            }
        }, shown, answer), places);
    }

    @Override
    public void carriesNoMore() {
        var left = takeCarried();
        if (left != null) {
            left.giveBack();
        }
    }

    private @Nullable Permit takeCarried() {
        var places = carried;
        carried = null;
        return places;
    }

    /** As long as the worker has not begun the message waits. Gives the places back before the answer is there: who gets it may ask again at once. */
    private Behavior working(@Nullable Permit places) {
        return places == null ? worker : new GivingBack(worker, places);
    }

    private record GivingBack(Behavior worker, Permit places) implements Behavior {
        @Override
        public Class<?> handlerClass() {
            return worker.handlerClass();
        }

        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            places.begin();
            try {
                return worker.handle(turn, message);
            } finally {
                places.giveBack();
            }
        }
    }

    private void start(Cell cell, Node message, @Nullable Permit places) {
        var admitted = false;
        try {
            if (places != null) {
                cell.extendedState().addHook(places::giveBack); // it may not be handled at all
            }
            crew.admit(cell, null);
            admitted = true;
        } finally {
            if (!admitted && places != null) {
                places.giveBack();
            }
        }
        try {
            cell.send(message, Long.MAX_VALUE);
            cell.sendControl(new StopNode(Reason.POISON_PILL));
        } catch (StackOverflowError e) {
            crew.forget(cell); // it has, or will have, nothing to do
            if (places != null) {
                places.giveBack();
            }
            throw e;
        }
    }

    @Override
    public void close() {
        crew.close();
    }
}
