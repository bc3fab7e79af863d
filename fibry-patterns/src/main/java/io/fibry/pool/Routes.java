package io.fibry.pool;

import io.fibry.Recipient;
import io.fibry.Request;
import io.fibry.message.MessageFate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** A router: the recipients, which are replaced as one list, and the way to choose. */
final class Routes<M, R extends @Nullable Object> implements Router<M, R> {
    /** The recipients, and what chooses among them. */
    private record Targets<M, R extends @Nullable Object>(List<Recipient<M, R>> all,
            ToIntFunction<M> choice) {
        Recipient<M, R> of(M message) {
            return all.get(choice.applyAsInt(message));
        }
    }

    private final String name;
    private final Choices.Choice<M, R> choice;
    private final AtomicReference<Targets<M, R>> targets;

    Routes(String name, List<? extends Recipient<M, R>> targets, Choices.Choice<M, R> choice) {
        this.name = Objects.requireNonNull(name, "name");
        this.choice = choice;
        this.targets = new AtomicReference<>(checked(targets));
    }

    private Targets<M, R> checked(List<? extends Recipient<M, R>> wanted) {
        for (var target : Objects.requireNonNull(wanted, "recipients")) {
            if (leadsHere(Objects.requireNonNull(target, "a recipient of router '" + name + "'"))) {
                throw new IllegalArgumentException(
                        "'" + target.name() + "' cannot be a recipient of router '" + name
                                + "': its messages would come back to that router for ever");
            }
        }
        List<Recipient<M, R>> copy = List.copyOf(wanted);
        if (copy.isEmpty()) {
            throw new IllegalArgumentException("router '" + name + "' needs at least one recipient");
        }
        return new Targets<>(copy, choice.among(copy));
    }

    private boolean leadsHere(Recipient<?, ?> target) {
        return target == this || (target instanceof Routes<?, ?> routes
                && routes.targets.get().all().stream().anyMatch(this::leadsHere));
    }

    private Recipient<M, R> to(M message) {
        return targets.get().of(Objects.requireNonNull(message, "message"));
    }

    @SuppressWarnings("unchecked") // a request of another protocol fails in the handler, as documented
    private Recipient<M, R> to(Request<?> request) {
        return to((M) Objects.requireNonNull(request, "request"));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean sendMessage(M message) {
        return to(message).sendMessage(message);
    }

    @Override
    public boolean sendMessage(M message, Duration timeToLive) {
        return to(message).sendMessage(message, timeToLive);
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message) {
        return to(message).sendTracked(message);
    }

    @Override
    public CompletableFuture<MessageFate> sendTracked(M message, Duration timeToLive) {
        return to(message).sendTracked(message, timeToLive);
    }

    @Override
    public CompletableFuture<R> sendMessageReturn(M message) {
        return to(message).sendMessageReturn(message);
    }

    @Override
    public CompletableFuture<R> ask(M message, Duration timeout) {
        return to(message).ask(message, timeout);
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request) {
        return to(request).request(request);
    }

    @Override
    public <A extends @Nullable Object> CompletableFuture<A> request(Request<A> request, Duration timeout) {
        return to(request).request(request, timeout);
    }

    @Override
    public void add(Recipient<M, R> target) {
        targets.updateAndGet(before -> {
            var all = new ArrayList<>(before.all());
            all.add(target);
            return checked(all);
        });
    }

    @Override
    public boolean remove(Recipient<M, R> target) {
        Objects.requireNonNull(target, "target");
        while (true) {
            var before = targets.get();
            var all = new ArrayList<>(before.all());
            if (!all.remove(target)) {
                return false;
            }
            if (all.isEmpty()) {
                throw new IllegalStateException(
                        "'" + target.name() + "' is the only recipient of router '" + name
                                + "': add another one before you remove it");
            }
            if (targets.compareAndSet(before, checked(all))) {
                return true;
            }
        }
    }

    @Override
    public List<Recipient<M, R>> targets() {
        return targets.get().all();
    }

    @Override
    public String toString() {
        return "Router[" + name + ", " + targets.get().all().size() + " recipients]";
    }
}
