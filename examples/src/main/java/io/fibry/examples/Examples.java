package io.fibry.examples;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Runs an example by its name. */
public final class Examples {
    private interface Program {
        void main(String[] args) throws Exception;
    }

    private record Example(String name, String what, Program program) {
    }

    private static final List<Example> ALL = List.of(
            new Example("Hello", "an HTTP server and a TCP server with an actor for each request or client",
                    Hello::main),
            new Example("RequestReply", "named actors that are asked and answer", RequestReply::main),
            new Example("Account", "an actor with a state and several kinds of messages", Account::main),
            new Example("Ping", "actors that receive the message they want next", Ping::main),
            new Example("Forward", "a TCP port that goes to another host: PORT HOST:PORT", Forward::main),
            new Example("OwnStrategy", "ways of running actors that are not built in", OwnStrategy::main));

    private Examples() {
    }

    /**
     * Runs an example.
     *
     * @param args its name and its own arguments; or {@code --list}
     * @throws Exception whatever the example throws
     */
    public static void main(String[] args) throws Exception {
        if (args.length == 0 || List.of("--list", "list", "--help").contains(args[0])) {
            System.out.println("mvn -q -pl examples -am compile exec:exec -Dexample=... runs one of these:");
            ALL.forEach(each -> System.out.printf("  %-14s %s%n", each.name(), each.what()));
            return;
        }
        var found = ALL.stream().filter(each -> each.name().equals(args[0])).findFirst();
        if (found.isEmpty()) {
            System.err.println("there is no example '" + args[0] + "'; there are "
                    + ALL.stream().map(Example::name).collect(Collectors.joining(", "))
                    + "; --list says more");
            System.exit(2);
        } else {
            found.get().program().main(Arrays.copyOfRange(args, 1, args.length));
        }
    }
}
