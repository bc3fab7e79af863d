package io.fibry.examples;

import io.fibry.examples.frame.Options;
import io.fibry.examples.frame.UsageException;
import io.fibry.inside.Inside;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.net.BindException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Runs an example by its name. */
public final class Examples {
    private static final int WRONG = 2;
    private static final int INSIDE_PORT = 7070;

    private record Example(String name, String type, String what) {
    }

    private static final List<Example> ALL = List.of(
            new Example("servers", "Servers", "http-hello and tcp-hello together"),
            new Example("hello", "Hello", "named actors that are asked and answer, and code run inside one"),
            new Example("http-hello", "HttpHello", "an HTTP server whose handlers run in actors"),
            new Example("tcp-hello", "TcpHello", "a TCP server with an actor for each client"),
            new Example("account", "Account", "an actor with a state and several kinds of messages"),
            new Example("bank", "Bank", "transfers between accounts, each of them one step of two actors"),
            new Example("durable-bank", "bank.DurableBank",
                    "accounts that survive kill -9, and payments that arrive once or come back"),
            new Example("library", "Library", "ways to answer: typed, later, from a stage, side by side"),
            new Example("workshop", "Workshop", "messages in another order, and what became of them"),
            new Example("ping", "Ping", "actors that receive the message they want next"),
            new Example("own-strategy", "OwnStrategy", "ways of running actors that are not built in"),
            new Example("forward", "Forward", "a TCP port that goes to another host"),
            new Example("relay", "Relay", "a service of a private network for users outside: the outside"),
            new Example("relay-agent", "RelayAgent", "the same: the inside"),
            new Example("pipeline", "Pipeline", "files read, parsed and summed by stages with back-pressure"),
            new Example("devices", "Devices",
                    "an IoT gateway: thousands of devices, an actor for each, live on a page"),
            new Example("game", "Game", "rabbits and foxes: timers, failures and returns, live on a page"),
            new Example("chat", "chat.Chat", "rooms and users over web sockets, with a page"),
            new Example("cluster", "cluster.ClusterBank",
                    "a node of a bank and a chat; start it three times, and kill nodes on its page"),
            new Example("market", "market.Market",
                    "orders as state machines, matched by a pool, live on a page with a chart"),
            new Example("orders", "orders.Orders",
                    "too many orders for a real PostgreSQL: what has a limit at its door stays fast"),
            new Example("kotlin", "Kotlin",
                    "coroutines on virtual threads, asks that suspend, actors that end with their block"),
            new Example("spring", "spring.SpringShop",
                    "a Spring Boot application: its requests, @Async and a scope on Fibry"));

    private Examples() {
    }

    /**
     * Runs an example.
     *
     * @param args the name of the example and its arguments; or {@code --list}
     * @throws Exception if the example throws it
     */
    public static void main(String[] args) throws Exception {
        if (args.length == 0 || List.of("--list", "list", "--help").contains(args[0])) {
            System.out.println("mvn -q -pl examples -am compile exec:exec -Dexample=... runs one of these:");
            ALL.forEach(each -> System.out.printf("  %-14s %s%n", each.name(), each.what()));
            System.out.println(
                    "-Dexample.args=--help shows the options of one; -Dexample.args=--inside opens a page of its actors.");
            return;
        }
        try {
            start(args[0], Arrays.copyOfRange(args, 1, args.length));
        } catch (UsageException notRun) {
            (notRun.exitCode() == 0 ? System.out : System.err).println(notRun.getMessage());
            System.exit(notRun.exitCode());
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof BindException) {
                System.err.println(e.getMessage() + " (-Dexample.args=\"--help\" shows how)");
                System.exit(WRONG);
            }
            throw e;
        }
    }

    /** Runs an example, and opens the live page of its actors if the arguments have {@code --inside}. */
    private static void start(String name, String... args) throws Exception {
        var own = Arrays.stream(args).filter(each -> !each.equals(Options.INSIDE)).toArray(String[]::new);
        if (own.length == args.length) {
            run(name, args);
            return;
        }
        try (var inside = openInside()) {
            System.out.println("look inside: " + inside.address());
            run(name, own);
        }
    }

    private static Inside openInside() {
        try {
            return Inside.open(INSIDE_PORT);
        } catch (UncheckedIOException portIsTaken) {
            return Inside.open(0);
        }
    }

    private static void run(String name, String... args) throws Exception {
        var found = ALL.stream().filter(each -> each.name().equals(name)).findFirst()
                .orElseThrow(() -> UsageException.wrong("there is no example '" + name + "'; there are "
                        + ALL.stream().map(Example::name).collect(Collectors.joining(", "))
                        + "; --list says more"));
        try {
            Class.forName(Examples.class.getPackageName() + "." + found.type())
                    .getMethod("main", String[].class).invoke(null, (Object) args);
        } catch (ClassNotFoundException e) {
            throw UsageException.wrong("the example '" + name
                    + "' lives in a module of its own, which -Dexample="
                    + name
                    + " adds when Maven starts it: mvn -q -pl examples -am compile exec:exec -Dexample="
                    + name);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }
}
