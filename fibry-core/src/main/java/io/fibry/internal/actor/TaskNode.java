package io.fibry.internal.actor;

import io.fibry.internal.context.Carried;
import io.fibry.internal.limit.Permit;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Code that runs inside the actor.
 */
public class TaskNode extends Asked {
    private @Nullable Callable<? extends @Nullable Object> code;
    /** The user's object, which reports show. */
    private @Nullable Object shown;

    TaskNode(Callable<? extends @Nullable Object> code, Object shown,
            @Nullable Answer<@Nullable Object> answer) {
        super(answer);
        this.code = code;
        this.shown = shown;
    }

    /** Returns a node for code that the calling thread gives to an actor. */
    public static TaskNode to(ActorSpec actor, Callable<? extends @Nullable Object> code, Object shown,
            @Nullable Answer<@Nullable Object> answer) {
        var node = with(actor.capture(), code, shown, answer);
        if (answer != null) {
            answer.attachTo(node);
        }
        return node;
    }

    /** Returns a node for code that another actor passes on. Any thread may end the wait for the answer meanwhile. */
    public static TaskNode passedOn(@Nullable Carried carried, Callable<? extends @Nullable Object> code,
            Object shown, @Nullable Answer<@Nullable Object> answer) {
        var node = with(carried, code, shown, answer);
        node.takeOver();
        return node;
    }

    private static TaskNode with(@Nullable Carried carried, Callable<? extends @Nullable Object> code,
            Object shown, @Nullable Answer<@Nullable Object> answer) {
        return carried == null
                ? new TaskNode(code, shown, answer)
                : new TaskWithAttachment(code, shown, answer, new Attachment(carried, null));
    }

    @Override
    public void handle(Turn turn) {
        var mine = answer();
        var task = code;
        var content = shown;
        var forwards = turn.behavior instanceof ForwardingBehavior;
        if (task == null || content == null || isOver(mine)
                || (mine != null && !forwards && !mine.start(turn.cell))) {
            turn.expired();
            return;
        }
        Object result;
        try {
            if (turn.behavior instanceof ForwardingBehavior workers) {
                workers.forward(turn, task, content, mine);
                turn.handled();
                return;
            }
            var around = NoMessage.begin(turn);
            try {
                result = turn.behavior.call(turn, task, content);
            } finally {
                NoMessage.end(turn, around);
            }
        } catch (Throwable failure) {
            if (mine == null) {
                turn.failed(content, failure);
            } else {
                giveBackPlaces();
                turn.askFailed(mine, content, failure);
            }
            return;
        }
        if (mine == null) {
            turn.handled();
        } else {
            giveBackPlaces();
            turn.answered(mine, result);
        }
    }

    @Override
    final Node counted(Permit permit) {
        var task = code;
        var content = shown;
        if (task == null || content == null) {
            permit.giveBack(); // it was cancelled in the meantime
            return this;
        }
        var mine = answer;
        var counted = new TaskWithAttachment(task, content, mine, new Attachment(carried(), permit));
        if (mine != null) {
            mine.attachTo(counted);
        }
        return counted;
    }

    /** Returns a node for the same code that takes over this attachment; null if the code is over. */
    final @Nullable TaskWithAttachment moved(Attachment attachment) {
        var task = code;
        var content = shown;
        return task == null || content == null ? null
                : new TaskWithAttachment(task, content, answer(), attachment.handOver());
    }

    @Nullable Callable<?> code() {
        return code;
    }

    /** Fails the code: it cannot run in the middle of a body, and no later time is better. */
    final void failInBody(Turn turn) {
        var mine = answer();
        var content = shown;
        if (content == null || isOver(mine)) {
            turn.expired();
            return;
        }
        var failure = new IllegalStateException("code that was given to actor '" + turn.cell.name()
                + "' cannot run in its body, where something is bound that its sender had not (a ScopedValue, say):"
                + " make the actor where that is not bound, or receive outside of the block that binds it");
        if (mine == null) {
            turn.failed(content, failure);
        } else {
            giveBackPlaces();
            turn.askFailed(mine, content, failure);
        }
    }

    @Override
    public @Nullable Node forHeir(Cell heir) {
        var mine = answer();
        var task = code;
        var content = shown;
        if (task == null || content == null || isOver(mine) || Hold.isTask(task)) {
            return null;
        }
        if (mine != null) {
            mine.forwardTo(heir);
        }
        return passedOn(carried(), task, content, mine);
    }

    @Override
    public void clear() {
        super.clear();
        code = null;
        shown = null;
    }

    @Override
    public @Nullable Object content() {
        return shown;
    }

    @Override
    public boolean isOver() {
        return isOver(answer());
    }

    private boolean isOver(@Nullable Answer<?> mine) {
        return isAsked() && (mine == null || mine.isOver());
    }
}
