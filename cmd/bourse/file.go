package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"
)

// settingsFile is a YAML file whose keys are the names of settings. Its values are taken as the
// texts that stand there and read as flags are, so that a setting is written in one way.
type settingsFile struct {
	name   string
	values map[string]*yaml.Node
}

// read reads the file; only the names that are known may be in it, once each.
func (f *settingsFile) read(name string, known []string) error {
	file, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("--%s: %w", fileFlag, err)
	}
	defer file.Close()
	*f = settingsFile{name: name, values: map[string]*yaml.Node{}}
	var document, more yaml.Node
	decoder := yaml.NewDecoder(file)
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return fmt.Errorf("--%s: %s: %w", fileFlag, name, err)
	}
	if err := decoder.Decode(&more); !errors.Is(err, io.EOF) {
		return fmt.Errorf("--%s: %s: only one YAML document is read, and there are more", fileFlag, name)
	}
	root := document.Content[0]
	if root.Tag == "!!null" {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("%s: settings are lines such as 'listen: 127.0.0.1:8080'; 'bourse config --example' prints such a file", f.at(root))
	}
	for i := 0; i < len(root.Content); i += 2 {
		if err := f.add(root.Content[i], root.Content[i+1], known); err != nil {
			return err
		}
	}
	return nil
}

func (f *settingsFile) at(n *yaml.Node) string { return fmt.Sprintf("%s:%d", f.name, n.Line) }

func (f *settingsFile) add(key, value *yaml.Node, known []string) error {
	if first := f.values[key.Value]; first != nil {
		return fmt.Errorf("%s: %s is set a second time; the first is in line %d", f.at(key), key.Value, first.Line)
	}
	if !slices.Contains(known, key.Value) {
		err := fmt.Errorf("%s: there is no setting %q in a file", f.at(key), key.Value)
		if meant := nearest(key.Value, known); meant != "" {
			err = fmt.Errorf("%w; did you mean %s?", err, meant)
		}
		return err
	}
	f.values[key.Value] = value
	return nil
}

// find is the text of a setting in the file, and where it stands.
func (f *settingsFile) find(flag *kong.Flag) (text string, from origin, err error) {
	value := f.values[flag.Name]
	if value == nil {
		return "", origin{}, nil
	}
	from = origin{"file", f.at(value)}
	switch {
	case value.Kind == yaml.SequenceNode && flag.IsSlice():
		var list []string
		for _, element := range value.Content {
			text, err := scalar(element)
			if err != nil {
				return "", from, fmt.Errorf("file %s: %w", f.at(element), err)
			}
			list = append(list, text)
		}
		return kong.JoinEscaped(list, flag.Tag.Sep), from, nil
	case value.Kind == yaml.SequenceNode:
		return "", from, fmt.Errorf("%s: it takes one value and not a list", from)
	}
	if text, err = scalar(value); err != nil {
		err = fmt.Errorf("%s: %w", from, err)
	}
	return text, from, err
}

// scalar is the text of a single value.
func scalar(n *yaml.Node) (string, error) {
	switch {
	case n.Kind == yaml.AliasNode:
		return scalar(n.Alias)
	case n.Kind != yaml.ScalarNode:
		return "", errors.New("it takes a text or a number and nothing nested")
	case n.Tag == "!!null":
		return "", errors.New("there is no value; write one, or take the line away")
	}
	return n.Value, nil
}
