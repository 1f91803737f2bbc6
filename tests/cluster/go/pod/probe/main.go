// Command probe answers and asks inside a pod: it serves a port, resolves a name, or connects to an address.
//
//	probe serve :8080            accept connections for ever
//	probe resolve NAME           print the addresses of NAME
//	probe dial HOST:PORT         connect within 5 seconds, and say so; a policy learns of a new pod late
package main

import (
	"fmt"
	"net"
	"os"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		end(fmt.Errorf("usage: probe serve|resolve|dial ADDRESS"))
	}
	switch verb, address := os.Args[1], os.Args[2]; verb {
	case "serve":
		end(serve(address))
	case "resolve":
		addresses, err := net.LookupHost(address)
		fmt.Println(addresses)
		end(err)
	case "dial":
		end(dial(address))
	default:
		end(fmt.Errorf("%s: unknown verb", verb))
	}
}

func dial(address string) error {
	deadline := time.Now().Add(5 * time.Second)
	for {
		connection, err := net.DialTimeout("tcp", address, time.Until(deadline))
		if err == nil {
			fmt.Println("connected to", connection.RemoteAddr())
			return nil
		}
		if time.Now().Add(200 * time.Millisecond).After(deadline) {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func serve(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		connection.Close()
	}
}

func end(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}
