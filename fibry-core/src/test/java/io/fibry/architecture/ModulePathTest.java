package io.fibry.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.testing.Child;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A program that is a module compiles and runs against the library with slf4j-api and nothing else. */
class ModulePathTest {
    @TempDir
    private Path directory;

    private String modulePath;

    @BeforeEach
    void findCompiler() throws Exception {
        var bin = Path.of(System.getProperty("java.home"), "bin");
        Assumptions.assumeTrue(Files.exists(bin.resolve("javac")) || Files.exists(bin.resolve("javac.exe")),
                "this runs on a runtime without a compiler");
        var slf4j = Path.of(LoggerFactory.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        modulePath = MainCode.compiled() + File.pathSeparator + slf4j;
    }

    private void compile(String code) throws Exception {
        var module = Files.writeString(directory.resolve("module-info.java"), """
                module probe {
                    requires io.fibry;
                }
                """);
        var main = Files.writeString(Files.createDirectories(directory.resolve("probe")).resolve("Main.java"),
                code);
        Child.tool("javac",
                List.of("-p", modulePath, "-d", directory.resolve("out").toString(), module.toString(),
                        main.toString()));
    }

    @Test
    void aModuleThatRequiresTheLibraryRuns() throws Exception {
        compile("""
                package probe;

                import io.fibry.ActorSystem;
                import io.fibry.event.ActorEvent;
                import io.fibry.time.Cancellable;

                public class Main {
                    public static void main(String[] args) throws Exception {
                        Cancellable listening = ActorSystem.root().listen((ActorEvent event) -> { });
                        try (var actor = ActorSystem.anonymous().newActorWithReturn((Integer n) -> n * n)) {
                            System.out.println("answer " + actor.sendMessageReturn(12).get());
                        }
                        listening.cancel();
                    }
                }
                """);
        var path = modulePath + File.pathSeparator + directory.resolve("out");
        assertThat(Child.tool("java", List.of("-p", path, "-m", "probe/probe.Main"))).contains("answer 144");
    }

    @Test
    void aModuleCannotReachTheEngine() {
        assertThatThrownBy(() -> compile("""
                package probe;

                public class Main {
                    Object engine = io.fibry.internal.Engine.root();
                }
                """)).isInstanceOf(AssertionError.class).hasMessageContaining("io.fibry.internal");
    }
}
