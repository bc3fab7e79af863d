package io.fibry.cluster.trial;

import io.fibry.ActorException;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterGroup;
import io.fibry.cluster.ClusterOptions;
import io.fibry.durable.Durable;
import io.fibry.durable.DurableStore;
import io.fibry.durable.Identified;
import io.fibry.keyed.KeyedActors;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A node with durable accounts, in a process of its own, which does what its standard input says. Its arguments are its name and the URL of its store. */
public final class DurableNode {
    public static final int KEYS = 20;
    private static final int CLIENTS = 4;
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final ClusterGroup<Integer, Command, Long> ACCOUNTS =
            ClusterGroup.of("accounts", Integer.class, Command.class, Long.class, Command::account);

    private sealed interface Command {
        int account();
    }

    private record Deposit(int account, long cents, String messageId) implements Command, Identified {
    }

    private record Pay(int account, int to, long cents, String messageId) implements Command, Identified {
    }

    private record Receive(int account, long cents) implements Command {
    }

    private record Look(int account) implements Command {
    }

    private final String name;
    private final Cluster cluster;
    private final KeyedActors<Integer, Command, Long> accounts;
    private final AtomicBoolean isOver = new AtomicBoolean();
    /** What each account must have, by what was acknowledged to the clients of this node. */
    private final AtomicLongArray expected = new AtomicLongArray(KEYS);
    private CompletableFuture<?> load = CompletableFuture.completedFuture("");

    private DurableNode(ActorScope scope, String url, String name) {
        this.name = name;
        cluster = Cluster.open(scope, ClusterOptions.fromEnvironment().name(name).askLimit(LIMIT));
        var store = DurableStore.open(url);
        scope.closeOnExit(store);
        accounts = cluster.share(ACCOUNTS, Durable.stateOnly(store, "accounts", Long.class, 0L).shared()
                .keyed(scope, Command.class, Long.class,
                        ACCOUNTS.keyOf(), (self, command) -> {
                            switch (command) {
                                case Deposit in -> self.persist(self.state() + in.cents());
                                case Pay pay -> {
                                    self.persist(self.state() - pay.cents());
                                    self.send(new Receive(pay.to(), pay.cents()));
                                }
                                case Receive in -> self.persist(self.state() + in.cents());
                                case Look look -> {
                                }
                            }
                            return self.state();
                        }));
    }

    /** Sends until there is an answer. Each message has an id. */
    private void repeat(Command command) throws InterruptedException {
        while (true) {
            try {
                var unused = accounts.sendMessageReturn(command).get();
                return;
            } catch (ExecutionException failed) {
                if (!(failed.getCause() instanceof ActorException)) {
                    throw new IllegalStateException(failed.getCause());
                }
                Thread.sleep(10); // what is refused is refused at once, and others need the processor
            }
        }
    }

    private void client(int client) {
        var random = new Random(client);
        try {
            for (int i = 0; !isOver.get(); i++) {
                int account = random.nextInt(KEYS);
                int to = random.nextInt(KEYS);
                long cents = 1 + random.nextInt(9);
                var id = name + "/" + client + "/" + i;
                if (i % 2 == 0) {
                    repeat(new Deposit(account, cents, id));
                } else {
                    repeat(new Pay(account, to, cents, id));
                    expected.addAndGet(to, cents);
                }
                expected.addAndGet(account, i % 2 == 0 ? cents : -cents);
            }
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    private String answer(String line) throws Exception {
        return switch (line) {
            case "begin" -> {
                isOver.set(false);
                var clients = new CompletableFuture<?>[CLIENTS];
                for (int i = 0; i < CLIENTS; i++) {
                    int client = i;
                    clients[i] = CompletableFuture.runAsync(() -> client(client),
                            task -> Thread.ofVirtual().start(task));
                }
                load = CompletableFuture.allOf(clients);
                yield "begun";
            }
            case "end" -> {
                isOver.set(true);
                load.get();
                yield IntStream.range(0, KEYS).mapToObj(key -> "" + expected.get(key))
                        .collect(Collectors.joining(" "));
            }
            case "count" -> {
                if (load.isCompletedExceptionally()) {
                    load.get();
                }
                long sum = 0;
                for (int key = 0; key < KEYS; key++) {
                    sum += Math.abs(expected.get(key));
                }
                yield "" + sum;
            }
            case "balances" -> {
                var all = new StringBuilder();
                for (int key = 0; key < KEYS; key++) {
                    all.append(accounts.sendMessageReturn(new Look(key)).get()).append(' ');
                }
                yield all.toString().strip();
            }
            case "live" -> "" + accounts.live();
            case "leave" -> "" + cluster.leave(LIMIT);
            default -> throw new IllegalArgumentException(line);
        };
    }

    public static void main(String[] args) throws Exception {
        try (var scope = ActorSystem.open(args[0])) {
            var node = new DurableNode(scope, args[1], args[0]);
            System.out.println("READY");
            var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                String said;
                try {
                    said = node.answer(line);
                } catch (Exception failed) {
                    said = "! " + failed;
                }
                System.out.println("= " + said);
            }
            node.cluster.close();
        }
    }
}
