package io.fibry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.testing.Promise;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the compiler infers for the lambdas and method references that programs give to builders. */
class InferenceTest {
    private static final String PROGRAM = """
            import io.fibry.*;
            import io.fibry.function.*;
            import io.fibry.keyed.*;
            import java.util.*;

            final class Program%d {
                static final ActorBuilder builder = ActorSystem.anonymous();
                static final List<String> list = new ArrayList<>();
                static final Map<String, Integer> map = new HashMap<>();
                static final class Ledger implements Handler<Integer> {
                    Ledger() {
                    }
                    Ledger(ActorContext<Integer, Void> context) {
                    }
                    public void handle(Integer amount) throws Exception {
                    }
                }
                static final class Book implements Handler<Integer> {
                    public void handle(Integer amount) throws Exception {
                    }
                }
                static final class Length implements ReplyHandler<String, Integer> {
                    public Integer handle(String text) throws Exception {
                        return text.length();
                    }
                }
                sealed interface Text<R> extends Request<R> {
                    record Size(String text) implements Text<Integer> {
                    }
                    record Upper(String text) implements Text<String> {
                    }
                }
                record Other() implements Request<String> {
                }
                static Reply answer(Text<?> request) {
                    return switch (request) {
                        case Text.Size size -> size.reply(size.text().length());
                        case Text.Upper upper -> upper.reply(upper.text());
                    };
                }
                static Actor<Text<?>, Reply> texts() {
                    return builder.newActorWithReturn(request -> answer(request));
                }
                static void write(String text) throws Exception {
                }
                static void write(ActorContext<String, Void> context, String text) throws Exception {
                }
                static void note(List<String> state, String text) throws Exception {
                }
                static void note(ActorContext<String, Void> context, List<String> state, String text)
                        throws Exception {
                }
                static final class Account {
                    String handle(Integer cents) {
                        return "";
                    }
                    String handle(ActorContext<Integer, String> context, Account other, Integer cents) {
                        return "";
                    }
                }
                static int count(String text) throws Exception {
                    return text.length();
                }
                static void run() throws Exception {
                    %s
                }
            }
            """;

    @TempDir
    private Path classes;

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(int number, String statement) {
            super(URI.create("string:///Program" + number + ".java"), Kind.SOURCE);
            text = PROGRAM.formatted(number, statement);
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    @BeforeEach
    void thereIsACompiler() {
        assumeTrue(ToolProvider.getSystemJavaCompiler() != null, "this Java has no compiler");
    }

    /** The errors in programs of one statement each, as the number of the program and the message. */
    private List<String> errors(List<String> statements) {
        var sources = new ArrayList<Source>();
        for (var statement : statements) {
            sources.add(new Source(sources.size(), statement));
        }
        var found = new DiagnosticCollector<JavaFileObject>();
        ToolProvider.getSystemJavaCompiler().getTask(new StringWriter(), null, found,
                List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")),
                null, sources).call();
        return found.getDiagnostics().stream().filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(each -> each.getSource().getName().replaceAll("\\D", "") + " " + each.getMessage(null))
                .toList();
    }

    @Test
    void typicalProgramsCompile() {
        assertThat(errors(List.of(
                "var a = builder.newActor((String text) -> write(text)); a.sendMessage(\"x\");",
                "Actor<String, Void> a = builder.newActor(text -> write(text));",
                "var a = builder.<String>newActor(text -> write(text)); a.sendMessage(\"x\");",
                "Actor<String, Void> a = builder.newActor((context, text) -> write(context, text));",
                "var a = builder.<String>newActor((context, text) -> context.askExit()); a.sendMessage(\"x\");",
                // An overloaded method, of which one may take one message and another a context and a message.
                "Actor<String, Void> a = builder.newActor(list::add);",
                "var a = builder.<String>newActor(list::add); a.sendMessage(\"x\");",
                "var a = builder.<String>newActor(Program7::write); a.sendMessage(\"x\");",
                "Actor<String, Void> a = builder.newActor(System.out::println);",
                "var a = builder.newActor(new Book()); a.sendMessage(1);",
                "var a = builder.newActorWithReturn((String text) -> text.length()); int n = a.apply(\"x\");",
                "var a = builder.newActorWithReturn(Program11::count); int n = a.apply(\"x\");",
                "var a = builder.newActorWithReturn(new Length()); int n = a.apply(\"x\");",
                "Actor<String, Integer> a = builder.newActorWithReturn(map::get);",
                "Actor<Integer, String> a = builder.newActorWithReturn(list::get);",
                "Actor<Integer, String> a = builder.newActorWithReturn(String::valueOf);",
                // A state and its messages.
                "var a = builder.state(HashMap<String, Integer>::new).<String>newActor("
                        + "(book, text) -> book.merge(text, 1, Integer::sum)); a.sendMessage(\"x\");",
                "var a = builder.state(HashMap<String, Integer>::new).newActorWithReturn("
                        + "(HashMap<String, Integer> book, String text) -> book.get(text));"
                        + " Integer n = a.apply(\"x\");",
                "Actor<String, Integer> a = builder.state(HashMap<String, Integer>::new).newActorWithReturn("
                        + "(book, text) -> book.merge(text, 1, Integer::sum));",
                "Actor<String, Integer> a = builder.<Map<String, Integer>>state(HashMap::new).newActorWithReturn("
                        + "(book, text) -> book.merge(text, 1, Integer::sum));",
                // The type of the messages, given before or after the state.
                "var a = builder.of(String.class).newActor(text -> write(text)); a.sendMessage(\"x\");",
                "var a = builder.of(String.class).newActor((context, text) -> write(context, text)); a.sendMessage(\"x\");",
                "var a = builder.of(String.class).newActor(list::add); a.sendMessage(\"x\");",
                "var a = builder.of(String.class).newActorWithReturn(text -> text.length()); int n = a.apply(\"x\");",
                "var a = builder.of(String.class).<String>newActorWithReturn((context, text) -> context.self().name() + text);"
                        + " String s = a.apply(\"x\");",
                "var a = builder.of(String.class).state(HashMap<String, Integer>::new).newActorWithReturn("
                        + "(book, text) -> book.merge(text, 1, Integer::sum)); int n = a.apply(\"x\");",
                "var a = builder.state(HashMap<String, Integer>::new).of(String.class).newActorWithReturn("
                        + "(book, text) -> book.merge(text, 1, Integer::sum)); int n = a.apply(\"x\");",
                "var a = builder.state(ArrayList<String>::new).of(String.class).newActor("
                        + "(context, lines, text) -> lines.add(text.trim())); a.sendMessage(\"x\");",
                "var a = builder.of(Integer.class).newActorFrom(context -> new Ledger(context)); a.sendMessage(1);",
                "var a = builder.of(String.class).newReceivingActor(inbox -> write(inbox.receive())); a.sendMessage(\"x\");",
                "var a = builder.of(String.class).newReceivingActor((inbox, text) -> write(inbox.receive() + text));"
                        + " a.sendMessage(\"x\");",
                // Factories.
                "var a = builder.newActorFrom(Book::new); a.sendMessage(1);",
                "var a = builder.newActorFrom(() -> new Ledger()); a.sendMessage(1);",
                "var a = builder.<Integer>newActorFrom(context -> new Ledger(context)); a.sendMessage(1);",
                "var a = builder.newActorFrom((ActorContext<Integer, Void> context) -> new Ledger(context));"
                        + " a.sendMessage(1);",
                "var a = builder.<String>newActorFrom(context -> text -> write(context, text));"
                        + " a.sendMessage(\"x\");",
                "var a = builder.newActorWithReturnFrom(Length::new); int n = a.apply(\"x\");",
                // Keyed actors take a handler without a context as well.
                "var a = builder.keyed((Integer n) -> n).newActorsFrom(key -> new Book()); a.sendMessage(1);")))
                .isEmpty();
    }

    /** States with a context, hooks, receiving actors, and code that runs with the state. */
    @Promise("33.2")
    @Test
    void typicalProgramsWithAStateCompile() {
        var words = "var words = builder.state(HashMap<String, Integer>::new); ";
        var list = "var lines = builder.state(ArrayList<String>::new); ";
        assertThat(errors(List.of(
                words + "var a = words.<String>newActor((context, book, text) -> context.self().sendMessage(text));"
                        + " a.sendMessage(\"x\"); a.execWithState(book -> book.clear());",
                words + "var a = words.newActor((ActorContext<String, Void> context, HashMap<String, Integer> book,"
                        + " String text) -> book.clear()); a.sendMessage(\"x\");",
                words + "StatefulActor<HashMap<String, Integer>, String, Integer> a = words.newActorWithReturn("
                        + "(context, book, text) -> book.get(text)); Integer n = a.apply(\"x\");",
                words + "Actor<String, Integer> a = words.newActorWithReturn("
                        + "(context, book, text) -> book.merge(text, 1, Integer::sum));",
                words + "Actor<String, Integer> a = words.newActorWithReturn(HashMap::get);",
                words + "var a = words.<String, Integer>newActorWithReturn(Map::get); int n = a.apply(\"x\");",
                // An overloaded method, of which one may take the state and another a context as well.
                list + "Actor<String, Void> a = lines.newActor(List::add);",
                list + "var a = lines.<String>newActor(ArrayList::add); a.sendMessage(\"x\");",
                list + "var a = lines.<String>newActor(Program8::note); a.sendMessage(\"x\");",
                "Actor<Integer, String> a = builder.state(Account::new).newActorWithReturn(Account::handle);",
                // Receiving actors: a handler has a message, a body has none.
                "var a = builder.<String>newReceivingActor((inbox, text) -> write(inbox.receive()));"
                        + " a.sendMessage(\"x\");",
                // Keyed actors.
                "var a = builder.keyed(String::length).newActors(n -> new ArrayList<String>(),"
                        + " (context, state, text) -> state.add(text.trim())); a.sendMessage(\"x\");"
                        + " a.execWithState(1, state -> state.clear());"
                        + " int n = a.execFutureWithState(1, List::size).get();",
                "StateHandler<ArrayList<String>, String> adds = List::add;"
                        + " var a = builder.keyed(String::length).newActors(n -> new ArrayList<String>(), adds);"
                        + " StatefulKeyedActors<Integer, ArrayList<String>, String, Void> b ="
                        + " builder.keyed(String::length).newActors(n -> new ArrayList<String>(), List::add);",
                "var keyed = builder.keyed((String text) -> text.length()).idle(java.time.Duration.ofSeconds(1));"
                        + " var a = keyed.newActorsWithReturn(n -> \"\" + n, (state, text) -> state.indexOf(text));"
                        + " int n = a.sendMessageReturn(\"x\").get();"
                        + " StatefulKeyedActors<Integer, String, String, Integer> b ="
                        + " keyed.newActorsWithReturn(n2 -> \"\" + n2, (context, state, text) -> state.length());"
                        + " var c = keyed.<Integer>newActorsWithReturnFrom(n3 -> (context, text) -> text.length() + n3);"
                        + " int m = c.ask(\"x\").get(); c.find(1);",
                // Hooks.
                list + "var a = lines.onStart(state -> state.add(\"x\")).onExit(List::clear)"
                        + ".newActor((ArrayList<String> state, String text) -> state.add(text));"
                        + " a.sendMessage(\"x\");",
                list + "lines.onStart(ArrayList::clear).of(String.class).onStart((context, state) ->"
                        + " context.timers().once(\"key\", java.time.Duration.ZERO, \"x\"));",
                "builder.onStart(() -> list.clear()).onStart(list::clear).onStart(context -> context.child())"
                        + ".<String>onStart(context -> context.self().sendMessage(\"x\"));",
                // Code that runs with the state.
                list + "var a = lines.newActor((ArrayList<String> state, String text) -> state.add(text));"
                        + " int n = a.execFutureWithState(List::size).get(); a.execWithState(ArrayList::clear);"
                        + " String s = a.execFutureWithState(state -> state.get(0)).join();"
                        + " a.execWithStateAndWait(state -> state.add(\"x\"));",
                "var log = Stereotypes.def().sinkWithState(ArrayList<String>::new);"
                        + " log.execWithState(lines -> lines.add(\"x\")); int n = log.execFutureWithState(List::size).get();",
                "StatefulActor<List<String>, Integer, Void> log = Stereotypes.def().sinkWithState(ArrayList::new);"
                        + " log.sendMessage(1); Stereotypes.def().sink(null);")))
                .isEmpty();
    }

    /** Where the compiler cannot know the type of the messages, a program that needs it does not compile. */
    @Test
    void typesThatAreNotGivenAreErrors() {
        var statements = List.of(
                "var a = builder.newActor(text -> write(text));",
                "var a = builder.newActor(list::add);",
                "var a = builder.newActor((context, text) -> write(context, text));",
                "var a = builder.state(HashMap::new).newActor((book, text) -> book.put(text.trim(), 1));",
                "Actor<String, Void> a = builder.state(HashMap::new).newActor("
                        + "(book, text) -> book.merge(text, 1, Integer::sum));",
                "var a = builder.state(ArrayList<String>::new).newActor((context, state, text) -> state.add(text));",
                "var a = builder.state(ArrayList<String>::new).newActor((List<String> state, Integer n) -> state.add(n));",
                "Actor<String, Void> a = builder.state(ArrayList<String>::new).newActor(List::add);"
                        + " a.execWithState(state -> state.clear());",
                "var a = builder.newActorFrom(context -> new Ledger(context));",
                "var a = builder.newActorFrom(context -> text -> write(context, text));",
                "Actor<Integer, Void> a = builder.newActor((String text) -> write(text));");
        var programs = errors(statements).stream().map(each -> each.split(" ")[0])
                .collect(Collectors.toSet());

        assertThat(programs).hasSize(statements.size());
    }

    /**
     * A factory without typed parameters says nothing about the messages. Overload resolution does not look at the
     * variable, so no overload could refuse only {@code var}; the Javadoc of {@code newActorFrom} has the remedies.
     */
    @Test
    void aVariableWithoutATypeGetsAnActorOfObjects() {
        assertThat(errors(List.of(
                "var a = builder.newActorFrom(context -> message -> list.add(\"\" + message));"
                        + " Actor<Object, Void> b = a; a.sendMessage(1); a.sendMessage(\"x\");",
                "Actor<String, Void> a = builder.newActorFrom(context -> text -> list.add(text));",
                "var a = builder.<String>newActorFrom(context -> text -> list.add(text)); Actor<String, Void> b = a;",
                "var a = builder.<String, Integer>newActorWithReturnFrom(context -> text -> text.length());"
                        + " int n = a.apply(\"x\");")))
                .isEmpty();

        var statements = List.of(
                "var a = builder.newActorFrom(context -> message -> list.add(\"\" + message));"
                        + " Actor<String, Void> b = a;",
                "var a = builder.newActorFrom((ActorContext<String, Void> context) -> text -> list.add(text));"
                        + " Actor<String, Void> b = a;",
                "var a = builder.<String>newActorFrom(context -> text -> list.add(text)); a.sendMessage(1);",
                "Actor<String, Void> a = builder.newActorFrom(context -> text -> list.add(text)); a.sendMessage(1);");
        assertThat(errors(statements).stream().map(each -> each.split(" ")[0]).collect(Collectors.toSet()))
                .hasSize(statements.size());
    }

    /** Requests: what the handler returns and what the asker gets is what the request names. */
    @Promise("30.1")
    @Test
    void typicalProgramsWithRequestsCompile() {
        assertThat(errors(List.of(
                "var a = builder.newActorWithReturn((Text<?> request) -> switch (request) {"
                        + " case Text.Size s -> s.reply(s.text().length()); case Text.Upper u -> u.reply(u.text()); });"
                        + " int n = a.request(new Text.Size(\"x\")).get(); String t = a.requestWait(new Text.Upper(\"x\"));",
                "Actor<Text<?>, Reply> a = builder.newActorWithReturn(request -> switch (request) {"
                        + " case Text.Size(var text) -> ((Text.Size) request).reply(text.length());"
                        + " case Text.Upper u -> u.reply(u.text()); });",
                "Actor<Text<?>, Reply> a = builder.newActorWithReturn(Program2::answer);",
                "var a = builder.newActorWithReturn(Program3::answer); int n = a.request(new Text.Size(\"x\")).join();",
                "var a = builder.state(ArrayList<String>::new).newActorWithReturn("
                        + "(ArrayList<String> state, Text<?> request) -> answer(request));"
                        + " a.request(new Text.Size(\"x\")).thenApply(n -> n + 1);",
                "var a = builder.<Text<?>, Reply>newActorWithReturn((context, request) -> answer(request));"
                        + " a.request(new Text.Upper(\"x\"), java.time.Duration.ofSeconds(1)).thenApply(String::trim);",
                "var a = builder.<Text<?>, Reply>newActorWithReturnFrom(context -> request -> answer(request));"
                        + " a.sendMessage(new Text.Upper(\"x\"));",
                "var a = Stereotypes.def().workersWithReturn((Text<?> request) -> answer(request));"
                        + " int n = a.requestWait(new Text.Size(\"x\"), java.time.Duration.ofSeconds(1));",
                "var a = builder.newActorWithReturn((Other other) -> other.reply(\"x\"));"
                        + " String t = a.requestWait(new Other());",
                "var a = builder.newActorWithReturn((Text<?> request) -> { if (request instanceof Text.Size s) {"
                        + " return s.reply(1); } throw new IllegalStateException(); }); a.request(new Text.Size(\"x\"));")))
                .isEmpty();
    }

    @Promise("30.1")
    @Test
    void wrongRequestsAndRepliesAreErrors() {
        var statements = List.of(
                "texts().sendMessage(new Other());",
                "String s = texts().requestWait(new Text.Size(\"x\"));",
                "String s = texts().request(new Text.Size(\"x\")).get();",
                "int n = texts().requestWait(new Text.Upper(\"x\"));",
                "new Text.Size(\"x\").reply(\"one\");",
                "builder.newActorWithReturn((Text<?> request) -> switch (request) {"
                        + " case Text.Size s -> s.reply(s.text()); case Text.Upper u -> u.reply(u.text()); });",
                "Actor<Text<?>, Reply> a = builder.newActorWithReturn((Text<?> request) -> 1);",
                "builder.newActorWithReturn((String text) -> text.length()).request(\"x\");",
                "new Reply();");
        assertThat(errors(statements).stream().map(each -> each.split(" ")[0]).collect(Collectors.toSet()))
                .hasSize(statements.size());
        // The compiler looks for what a switch forgets where there is no other error.
        assertThat(errors(List.of("builder.newActorWithReturn((Text<?> request) -> switch (request) {"
                + " case Text.Size s -> s.reply(1); });"))).hasSize(1);
    }

    @Promise("31.1")
    @Test
    void aTypedNameHasTheTypesOfItsActor() {
        var name = "ActorName<String, Integer> name = ActorName.of(\"length\");"
                + " try (var scope = ActorSystem.open(\"scope\")) { ";
        assertThat(errors(List.of(
                name + "var a = scope.make(name, b -> b.newActorWithReturn(text -> text.length())); int n = a.apply(\"x\"); }",
                name + "int n = scope.find(name).orElseThrow().apply(\"x\"); }",
                name + "var a = scope.findOrMake(name, b -> b.newActorWithReturn((String text) -> text.length()));"
                        + " int n = a.apply(\"x\"); }",
                name + "scope.sendOrKeep(name, \"x\", 0); }",
                "ActorName<Text<?>, Reply> name = ActorName.of(\"texts\");"
                        + " int n = ActorSystem.root().request(name, new Text.Size(\"x\")).get();",
                "ActorName<Text<?>, Reply> name = ActorName.of(\"texts\");"
                        + " var a = ActorSystem.root().make(name, b -> b.newActorWithReturn(Program5::answer));"
                        + " String s = a.requestWait(new Text.Upper(\"x\"));")))
                .isEmpty();

        var statements = List.of(
                name + "scope.make(name, b -> b.newActorWithReturn((String text) -> text)); }",
                name + "scope.make(name, b -> b.newActor((String text) -> write(text))); }",
                name + "scope.find(name).orElseThrow().apply(1); }",
                name + "String s = scope.find(name).orElseThrow().apply(\"x\"); }",
                name + "scope.findOrMake(name, b -> b.newActorWithReturn((Integer n) -> n)); }",
                name + "scope.sendOrKeep(name, 1, 0); }",
                name + "scope.request(name, new Text.Size(\"x\")); }",
                name + "Optional<Actor<Integer, Integer>> a = scope.find(name); }");
        assertThat(errors(statements).stream().map(each -> each.split(" ")[0]).collect(Collectors.toSet()))
                .hasSize(statements.size());
    }
}
