package io.fibry.internal;

import io.fibry.event.Stopped.Reason;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Hands each message to a new actor, which stops after it. Closing it waits for those that work. */
final class Workers implements Behavior, AutoCloseable {
    private final Scope crew;
    private final ActorSpec spec;
    private final Behavior worker;

    Workers(ActorSpec master, Behavior worker) {
        this.crew = master.scope().crew(master.name() == null ? "workers" : master.name() + "-workers");
        this.spec = master.of(crew);
        this.worker = worker;
    }

    @Override
    public Class<?> handlerClass() {
        return Workers.class;
    }

    @Override
    public @Nullable Object handle(Turn turn, Object message) {
        start(new MessageNode(message));
        return null;
    }

    /** Hands an ask over: the worker's result is the answer. */
    void forward(Object message, Answer<@Nullable Object> answer) {
        Cell cell = Builder.cell(spec, worker);
        answer.forwardTo(cell);
        start(cell, new AskNode(message, answer));
    }

    /** Hands code over. */
    void forward(Callable<? extends @Nullable Object> code, Object shown,
            @Nullable Answer<@Nullable Object> answer) {
        Cell cell = Builder.cell(spec, worker);
        if (answer != null) {
            answer.forwardTo(cell);
        }
        start(cell, new TaskNode(code, shown, answer));
    }

    private void start(Node message) {
        start(Builder.cell(spec, worker), message);
    }

    private void start(Cell cell, Node message) {
        crew.admit(cell, null);
        cell.send(message, Long.MAX_VALUE);
        cell.sendControl(new StopNode(Reason.POISON_PILL));
    }

    @Override
    public void close() {
        crew.close();
    }
}
