package io.fibry.fsm;

import io.fibry.ActorContext;
import io.fibry.Request;
import io.fibry.message.DeferredReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One step: what its actions ask for is kept here until all of them have succeeded. */
final class MachineStep implements Step<Object, Object, Object> {
    private final ActorContext<Object, @Nullable Object> context;
    private final @Nullable Object event;
    private final int room;
    private List<Object> raised = List.of();
    private Object state;
    private Object data;
    private @Nullable Object answer;
    private boolean isAnswered;
    private boolean isStopping;
    private boolean isOver;

    MachineStep(ActorContext<Object, @Nullable Object> context, Object state, Object data,
            @Nullable Object event, int room) {
        this.context = context;
        this.state = state;
        this.data = data;
        this.event = event;
        this.room = room;
    }

    /** From here on the actions are those of entering a state. */
    void enter(Object next) {
        state = next;
    }

    void end() {
        isOver = true;
    }

    List<Object> raised() {
        return raised;
    }

    Object carried() {
        return data;
    }

    boolean isAnswered() {
        return isAnswered;
    }

    @Nullable Object answer() {
        return answer;
    }

    boolean isStopping() {
        return isStopping;
    }

    private void check() {
        if (isOver) {
            throw new IllegalStateException("the step of machine '" + context.self().name()
                    + "' is over: use it in its actions only");
        }
    }

    @Override
    public Object state() {
        check();
        return state;
    }

    @Override
    public Object data() {
        check();
        return data;
    }

    @Override
    public void replaceData(Object next) {
        check();
        data = Objects.requireNonNull(next, "data");
    }

    @Override
    public void raise(Object next) {
        check();
        Objects.requireNonNull(next, "event");
        if (raised.size() >= room) {
            throw new IllegalStateException("machine '" + context.self().name() + "' cannot raise "
                    + TableKeys.text(next.getClass())
                    + ", since as many raised events wait as its options allow; raise "
                    + "fewer, or allow more by MachineOptions.withRaised");
        }
        if (raised.isEmpty()) {
            raised = new ArrayList<>(1);
        }
        raised.add(next);
    }

    @Override
    public <A extends @Nullable Object> void answer(Request<A> request, A value) {
        requireEvent(request);
        answer = value;
        isAnswered = true;
    }

    @Override
    @SuppressWarnings("unchecked") // the request determines the type of its answer
    public <A extends @Nullable Object> DeferredReply<A> deferReply(Request<A> request) {
        requireEvent(request);
        isAnswered = true;
        return (DeferredReply<A>) (DeferredReply<?>) context.deferReply();
    }

    private void requireEvent(Request<?> request) {
        check();
        if (Objects.requireNonNull(request, "request") != event) {
            throw new IllegalArgumentException("only the event of this step can be answered, which is "
                    + (event == null ? "none" : "of " + event.getClass().getName()) + ", and not a "
                    + request.getClass().getName());
        }
    }

    @Override
    public void stop() {
        check();
        isStopping = true;
    }

    @Override
    public Optional<Duration> timeLeft() {
        check();
        return context.timeLeft();
    }

    @Override
    public String name() {
        return context.self().name();
    }
}
