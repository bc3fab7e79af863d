package io.fibry.internal.scope;

import io.fibry.event.Stopped.Reason;
import io.fibry.function.Body;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Answer;
import io.fibry.internal.actor.AskNode;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Code;
import io.fibry.internal.actor.FateAnswer;
import io.fibry.internal.actor.ForwardingBehavior;
import io.fibry.internal.actor.Host;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.StopNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.limit.Permit;
import io.fibry.internal.report.ShownAs;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The behavior of an actor that gives each message to a new actor, a <em>worker</em>, which stops after it. {@link
 * #close} waits for the workers.
 */
final class WorkersBehavior extends ForwardingBehavior implements AutoCloseable {
    private final Scope crew;
    private final ActorSpec spec;
    private final Behavior worker;
    /** The permit of the message that the turn took last. Used by the turn only. */
    private @Nullable Permit carried;

    WorkersBehavior(ActorSpec master, Behavior worker) {
        this.crew = Scope.of(master).workers(master);
        var ofWorker = Setting.handDown(master, Setting.Heir.WORKER).in(crew, master.strategy());
        this.worker = Layers.around(ofWorker, worker); // inside what gives the permit back
        this.spec = ofWorker.withLayers(List.of());
    }

    @Override
    public Class<?> handlerClass() {
        return WorkersBehavior.class;
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
        var permit = takeCarried();
        start(ActorFactory.cell(spec, working(permit)), MessageNode.passedOn(passedOn(turn), message),
                permit);
        return null;
    }

    /** Forwards a message to a worker, whose result is the answer. */
    @Override
    public void forward(Turn turn, Object message, Answer<@Nullable Object> answer) {
        var permit = takeCarried();
        Cell cell = ActorFactory.cell(spec, working(permit));
        answer.forwardTo(cell);
        start(cell, AskNode.passedOn(passedOn(turn), message, answer), permit);
    }

    /** Forwards a message to a worker, where it meets its fate. */
    @Override
    public void forward(Turn turn, Object message, FateAnswer fate) {
        var permit = takeCarried();
        Cell cell = ActorFactory.cell(spec, working(permit));
        fate.forwardTo(cell);
        start(cell, MessageNode.passedOn(passedOn(turn), message, fate), permit);
    }

    @Override
    public void forward(Turn turn, Callable<? extends @Nullable Object> code,
            @Nullable Answer<@Nullable Object> answer) {
        var permit = takeCarried();
        Cell cell = ActorFactory.cell(spec, new Tasked(worker, ShownAs.classOf(code)));
        var content = new Code(permit == null ? code : new GivingBackAfter(permit, code));
        if (answer == null) {
            start(cell, MessageNode.passedOn(passedOn(turn), content), permit);
        } else {
            answer.forwardTo(cell);
            start(cell, AskNode.passedOn(passedOn(turn), content, answer), permit);
        }
    }

    /** The behavior of a worker that runs code and handles no message. Reports name the class of the code. */
    private record Tasked(Behavior worker, Class<?> handlerClass) implements Behavior {
        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            return worker.handle(turn, message);
        }
    }

    private record GivingBackAfter(Permit permit,
            Callable<? extends @Nullable Object> code) implements Callable<@Nullable Object>, ShownAs {
        @Override
        public @Nullable Object call() throws Exception {
            permit.begin();
            try {
                return code.call();
            } finally {
                permit.giveBack();
            }
        }
    }

    private record GiveBack(Permit permit) implements Body {
        @Override
        public void run() {
            permit.giveBack();
        }
    }

    @Override
    public void carriesNoMore() {
        var left = takeCarried();
        if (left != null) {
            left.giveBack();
        }
    }

    private @Nullable Permit takeCarried() {
        var permit = carried;
        carried = null;
        return permit;
    }

    /**
     * Returns the behavior of a worker that handles a message with this permit. The message counts as waiting until
     * the worker begins. The worker gives the permit back before it completes the answer, since the asker may ask
     * again at once.
     */
    private Behavior working(@Nullable Permit permit) {
        return permit == null ? worker : new GivingBack(worker, permit);
    }

    private record GivingBack(Behavior worker, Permit permit) implements Behavior {
        @Override
        public Class<?> handlerClass() {
            return worker.handlerClass();
        }

        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            permit.begin();
            try {
                return worker.handle(turn, message);
            } finally {
                permit.giveBack();
            }
        }
    }

    private void start(Cell cell, MessageNode message, @Nullable Permit permit) {
        var admitted = false;
        try {
            if (permit != null) {
                cell.extendedState().addHook(new GiveBack(permit)); // for the case that the message is not handled
            }
            crew.admit(cell, null);
            admitted = true;
        } finally {
            if (!admitted && permit != null) {
                permit.giveBack();
            }
        }
        try {
            cell.send(message, Long.MAX_VALUE);
            cell.sendControl(new StopNode(Reason.POISON_PILL));
        } catch (StackOverflowError e) {
            crew.forget(cell); // the worker has nothing to do, and never will
            if (permit != null) {
                permit.giveBack();
            }
            throw e;
        }
    }

    @Override
    public void close() {
        crew.close();
    }
}
